// Responses as text: status line, fields, chunks (RFC 9112 4, 5, 7.1).
#pragma once

#include "http/fields.hpp"
#include "http1/output_buffer.hpp"

#include <chrono>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>

namespace h2park::http1 {

/// How the end of a response's body is found (RFC 9112 6.3).
enum class Framing : std::uint8_t {
  kNone,        ///< no body: HEAD, 204, 304
  kLength,      ///< content-length
  kChunked,     ///< HTTP/1.1, length not known beforehand
  kUntilClose,  ///< the same for an HTTP/1.0 client
};

void append_status_line(OutputBuffer& out, unsigned status);
void append_date(OutputBuffer& out, std::chrono::system_clock::time_point wall);
void append_number_field(OutputBuffer& out, std::string_view name, std::uint64_t value);

/// One "name: value" line. Response splitting: a CR, LF, NUL or other control in the value becomes a space, a
/// field whose name is no token is left out.
void append_field(OutputBuffer& out, std::string_view name, std::string_view value);

/// A handler's fields without those that describe the connection or the framing.
void append_handler_fields(OutputBuffer& out, const http::Fields& fields);

/// Trailers after the last chunk, without those that must stand in a head (RFC 9110 6.5.1).
void append_trailers(OutputBuffer& out, const http::Fields& trailers);

/// A whole 1xx response, kept until it can be sent.
void append_informational(std::pmr::string& out, unsigned status, const http::Fields& fields);

/// A whole response of the session itself, which then closes.
void append_refusal(OutputBuffer& out, unsigned status, std::chrono::system_clock::time_point wall);

/// Writes "size in hex, CRLF" to `where` and returns its length, at most kChunkHeadBytes.
inline constexpr std::size_t kChunkHeadBytes = 8;
std::size_t write_chunk_head(char* where, std::size_t bytes);

}  // namespace h2park::http1
