#include "cmd/get_request.hpp"

#include "client/content_decoder.hpp"
#include "http1/field_tokens.hpp"
#include "http1/request_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace h2park::cmd {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
// curl's: below it a server that refuses the body is cheaper to find out by sending it.
constexpr std::size_t kExpectContinueAbove = 1024 * 1024;

/// What --header asks for: fields to send, and names that are not to be sent by themselves.
struct CustomFields {
  Fields fields;
  std::vector<std::string> replaced;

  bool replaces(std::string_view name) const {
    return std::ranges::any_of(
        replaced, [&](const std::string& each) { return http1::equal_ignoring_case(each, name); });
  }
};

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

bool is_valid(const std::string& name, const std::string& value) {
  return http1::request_text({.host = "host", .fields = {{name, value}}}).has_value();
}

/// One --header line, by curl's rules: "Name: value", "Name:" (none at all), "Name;" (an empty one).
void read_field(OptionReader& reader, std::string_view line, CustomFields& custom) {
  const auto wrong = [&](const std::string& why) {
    reader.wrong("header", "'" + std::string(line) + "' " + why);
  };
  const std::size_t colon = line.find(':');
  const bool empty = colon == std::string_view::npos && line.ends_with(';');
  if (colon == std::string_view::npos && !empty) return wrong("is not 'Name: value', 'Name:' or 'Name;'");
  const std::string name(empty ? line.substr(0, line.size() - 1) : line.substr(0, colon));
  const std::string value(empty ? std::string_view() : trimmed(line.substr(colon + 1)));
  if (!is_valid(name, "")) return wrong("does not begin with a field's name");
  if (!is_valid(name, value)) return wrong("has a character that no field has");
  custom.replaced.push_back(name);
  if (!value.empty() || empty) {
    custom.fields.emplace_back(name, value);
  } else if (http1::equal_ignoring_case(name, "host") || http1::equal_ignoring_case(name, "content-length")) {
    wrong("would leave out a field that is needed");
  }
}

CustomFields read_fields(OptionReader& reader) {
  CustomFields custom;
  for (const std::string& line : reader.all("header")) {
    if (!line.starts_with('@')) {
      read_field(reader, line, custom);
      continue;
    }
    const std::string text = read_named_file(reader, "header", line.substr(1));
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      std::string_view each = std::string_view(text).substr(from, end - from);
      if (each.ends_with('\r')) each.remove_suffix(1);
      if (!each.empty()) read_field(reader, each, custom);
      from = end + 1;
    }
  }
  return custom;
}

/// --data and its kin, joined; null if there is none.
std::shared_ptr<const std::string> read_body(OptionReader& reader) {
  const auto pieces = reader.values().in_order({"data", "data-binary", "data-raw"});
  if (pieces.empty()) return nullptr;
  std::string body;
  for (bool first = true; const auto& [option, value] : pieces) {
    if (!std::exchange(first, false)) body += '&';
    if (option == "data-raw" || !value.starts_with('@')) {
      body += value;
      continue;
    }
    std::string file = read_named_file(reader, option, value.substr(1));
    // curl's: a form in a file may be written in lines.
    if (option == "data") std::erase_if(file, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
    if (body.empty()) {
      body = std::move(file);  // which may be large
    } else {
      body += file;
    }
  }
  return std::make_shared<const std::string>(std::move(body));
}

void read_method(OptionReader& reader, client::Request& request) {
  if (reader.given("head") && request.body) reader.wrong("head", "does not go with --data");
  request.method = reader.given("head") ? "HEAD" : request.body ? "POST" : "GET";
  if (!reader.given("request")) return;
  request.method = reader.text("request");
  request.keep_method = true;
  if (!http1::request_text({.method = request.method, .host = "host"}))
    reader.wrong("request", "'" + request.method + "' is no method");
}

/// In curl's order: what is sent by itself, then --header's.
void add_fields(OptionReader& reader, client::Request& request) {
  const CustomFields custom = read_fields(reader);
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!custom.replaces(name)) request.fields.emplace_back(name, value);
  };
  if (!reader.given("user-agent")) {
    add("User-Agent", "h2park/" H2PARK_VERSION);
  } else if (!reader.text("user-agent").empty()) {
    add("User-Agent", reader.text("user-agent"));
  }
  add("Accept", "*/*");
  if (reader.given("compressed")) add("Accept-Encoding", client::kAcceptEncoding);
  if (reader.given("referer")) add("Referer", reader.text("referer"));
  request.fields.insert(request.fields.end(), custom.fields.begin(), custom.fields.end());
  if (!request.body) return;
  add("Content-Type", kFormType);
  const bool large = request.body->size() > kExpectContinueAbove;
  if (large && request.version == http::Version::kHttp11) add("Expect", "100-continue");
}

/// --header may ask for a body in chunks; one is as good as many (RFC 9112 7.1).
void apply_transfer_coding(OptionReader& reader, client::Request& request) {
  const std::string_view coding = field_of(request, "transfer-encoding");
  if (coding.empty() || !request.body) return;
  if (!http1::equal_ignoring_case(coding, "chunked") || request.version != http::Version::kHttp11) {
    return reader.wrong("header",
                        "'Transfer-Encoding: " + std::string(coding) + "' cannot be applied to --data");
  }
  const std::string& plain = *request.body;
  std::string chunks;
  if (!plain.empty()) chunks = fmt::format("{:x}\r\n{}\r\n", plain.size(), plain);
  request.body = std::make_shared<const std::string>(chunks + "0\r\n\r\n");
}

void check_text(OptionReader& reader, std::string_view option) {
  if (!is_valid("X", std::string(reader.text(option))))
    reader.wrong(option, "has a character that no field has");
}

}  // namespace

std::string read_named_file(OptionReader& reader, std::string_view option, const std::string& name) {
  std::string text;
  const bool standard = name == "-";
  std::FILE* file = standard ? stdin : std::fopen(name.c_str(), "rbe");
  bool good = file != nullptr;
  if (good) {
    std::array<char, 16384> buffer;
    while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), file))
      text.append(buffer.data(), bytes);
    good = std::ferror(file) == 0;
  }
  const int reason = errno;
  if (file != nullptr && !standard) std::fclose(file);
  if (!good) {
    reader.wrong(option, "cannot read " + name + ": " + std::generic_category().message(reason),
                 Error::Exit::kReadFailed);
  }
  return text;
}

std::string_view field_of(const client::Request& request, std::string_view name) {
  for (const auto& [field, value] : request.fields) {
    if (http1::equal_ignoring_case(field, name)) return value;
  }
  return {};
}

client::Request read_request(OptionReader& reader) {
  client::Request request;
  reader.refuse_together("http1.0", "http1.1");
  if (reader.given("http1.0")) request.version = http::Version::kHttp10;
  request.body = read_body(reader);
  read_method(reader, request);
  check_text(reader, "user-agent");
  check_text(reader, "referer");
  if (reader.text("referer").ends_with(";auto")) {
    reader.wrong("referer", "';auto' is not supported: redirects send the same Referer");
  }
  add_fields(reader, request);
  apply_transfer_coding(reader, request);
  return request;
}

}  // namespace h2park::cmd
