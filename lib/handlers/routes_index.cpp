// /: the list of routes, as text, or as HTML for a client that prefers it.

#include "handlers/route_accept.hpp"
#include "handlers/routes_builtin.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace h2park::handlers {
namespace {

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

bool can_be_clicked(const BuiltinRoute& route) { return route.methods.has(Method::kGet); }

std::string text_page() {
  std::size_t width = 0;
  for (const BuiltinRoute& route : builtin_routes()) width = std::max(width, route.usage.size());
  std::string page;
  for (const BuiltinRoute& route : builtin_routes()) {
    page.append(can_be_clicked(route) ? "GET   " : "POST  ").append(route.usage);
    page.append(width - route.usage.size() + 2, ' ').append(route.about).append("\n");
  }
  return page;
}

std::string html_page() {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<meta "
      "charset=\"utf-8\">\n<title>h2park</title>\n<h1>h2park</h1>\n<table>\n";
  for (const BuiltinRoute& route : builtin_routes()) {
    const std::string usage = escape_html(route.usage);
    page += "<tr><td>";
    page += can_be_clicked(route) ? "<a href=\"" + usage + "\">" + usage + "</a>" : "POST " + usage;
    page += "<td>" + escape_html(route.about) + "\n";
  }
  return page + "</table>\n</html>\n";
}

}  // namespace

Task<> handle_index(http::Request& request, http::Responder& response) {
  // Made once; shared by the threads.
  static const std::string text = text_page();
  static const std::string html = html_page();
  response.fields().set("vary", "accept");
  if (accept_quality(request.fields(), "text/html") > accept_quality(request.fields(), "text/plain")) {
    co_await response.send("text/html; charset=utf-8", html);
  } else {
    co_await response.send("text/plain; charset=utf-8", text);
  }
}

}  // namespace h2park::handlers
