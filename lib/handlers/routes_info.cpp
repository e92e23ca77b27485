// /info: what the server saw of connection and request, as JSON.

#include "handlers/request_id.hpp"
#include "handlers/route_json.hpp"
#include "handlers/routes_builtin.hpp"

#include <string>

namespace h2park::handlers {
namespace {

void append_text(std::string& to, std::string_view name, std::string_view value) {
  to.append("  \"").append(name).append("\": ");
  append_json_string(to, value);
  to += ",\n";
}

void append_number(std::string& to, std::string_view name, std::uint64_t value) {
  to.append("  \"").append(name).append("\": ").append(std::to_string(value)).append(",\n");
}

void append_tls(std::string& to, const http::ConnectionInfo& connection) {
  if (!connection.secure()) {
    to += "  \"tls\": null,\n";
    return;
  }
  const http::TlsInfo tls = connection.tls();
  to += "  \"tls\": {\"version\": ";
  append_json_string(to, tls.version);
  to += ", \"cipher\": ";
  append_json_string(to, tls.cipher);
  to += ", \"alpn\": ";
  append_json_string(to, tls.alpn);
  to += ", \"server_name\": ";
  append_json_string(to, tls.server_name);
  to.append(", \"resumed\": ").append(tls.resumed ? "true" : "false").append("},\n");
}

// An array of pairs: names repeat, and their order is worth seeing.
void append_headers(std::string& to, const http::Fields& fields) {
  to += "  \"headers\": [";
  bool first = true;
  for (const http::Field field : fields) {
    to += first ? "\n    [" : ",\n    [";
    first = false;
    append_json_string(to, field.name);
    to += ", ";
    append_json_string(to, field.value);
    to += ']';
  }
  to += first ? "]\n" : "\n  ]\n";
}

std::string describe(http::Request& request) {
  const http::RequestHead& head = request.head();
  const http::Exchange& exchange = request.exchange();
  const http::ConnectionInfo& connection = request.connection();
  std::string json = "{\n";
  append_text(json, "protocol", to_string(head.version));
  append_text(json, "method", head.method);
  append_text(json, "scheme", head.scheme);
  append_text(json, "authority", head.authority);
  append_text(json, "target", head.target);
  append_text(json, "peer", connection.peer());
  append_number(json, "connection", connection.number());
  append_number(json, "request", exchange.number);
  append_number(json, "stream", static_cast<std::uint64_t>(exchange.stream_id));
  append_text(json, "request_id", request_id_of(request.exchange()));
  append_tls(json, connection);
  append_headers(json, head.fields);
  json += "}\n";
  return json;
}

}  // namespace

Task<> handle_info(http::Request& request, http::Responder& response) {
  const std::string json = describe(request);
  announce_request_id(response);
  response.fields().set("cache-control", "no-store");
  co_await response.send("application/json", json);
}

}  // namespace h2park::handlers
