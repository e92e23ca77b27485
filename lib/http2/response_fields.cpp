#include "http2/response_fields.hpp"

#include <charconv>

namespace h2park::http2 {
namespace {

constexpr std::uint8_t kConstant = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;

std::uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // nghttp2 reads them only
}

bool sendable(const http::Field& field) {
  return !http::is_connection_field(field.name) && !field.name.starts_with(':') &&
         nghttp2_check_header_name(bytes(field.name), field.name.size()) != 0 &&
         nghttp2_check_header_value_rfc9113(bytes(field.value), field.value.size()) != 0;
}

}  // namespace

void ResponseFields::fill(ResponseFields& block, const http::ResponseHead& head, std::string_view date,
                          bool keep_date) {
  // A final status: 1xx goes out through Responder::inform().
  block.add_status(head.status >= 200 ? head.status : 500);
  // RFC 9110 8.6: no content-length with 204.
  const bool length_allowed = head.status != 204;
  bool has_date = false;
  bool has_server = false;
  for (const http::Field field : head.fields) {
    if (field.name == "content-length" && (head.content_length || !length_allowed)) continue;
    if (!sendable(field)) continue;
    has_date = has_date || field.name == "date";
    has_server = has_server || field.name == "server";
    block.add(field.name, field.value, NGHTTP2_NV_FLAG_NONE);
  }
  if (head.content_length && length_allowed) block.add_content_length(*head.content_length);
  if (!has_date) block.add_value("date", date, keep_date ? 0 : NGHTTP2_NV_FLAG_NO_INDEX);
  if (!has_server) block.add_constant("server", "h2park");
}

void ResponseFields::add(std::string_view name, std::string_view value, std::uint8_t flags) {
  fields_.push_back({bytes(name), bytes(value), name.size(), value.size(), flags});
}

void ResponseFields::add_status(unsigned status) {
  const unsigned code = status >= 100 && status <= 999 ? status : 500;
  std::to_chars(status_.data(), status_.data() + status_.size(), code);
  add_value(":status", {status_.data(), status_.size()});
}

void ResponseFields::add_content_length(std::uint64_t length) {
  const auto end = std::to_chars(length_.data(), length_.data() + length_.size(), length).ptr;
  add_value("content-length", {length_.data(), end});
}

void ResponseFields::add_constant(std::string_view name, std::string_view value) {
  add(name, value, kConstant);
}

void ResponseFields::add_value(std::string_view name, std::string_view value, std::uint8_t more_flags) {
  add(name, value, static_cast<std::uint8_t>(NGHTTP2_NV_FLAG_NO_COPY_NAME | more_flags));
}

void ResponseFields::add_all(const http::Fields& fields) {
  for (const http::Field field : fields) {
    if (sendable(field)) add(field.name, field.value, NGHTTP2_NV_FLAG_NONE);
  }
}

}  // namespace h2park::http2
