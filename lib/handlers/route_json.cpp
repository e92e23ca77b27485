#include "handlers/route_json.hpp"

#include <cstdint>

namespace h2park::handlers {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

struct Piece {
  std::size_t bytes;  // at least 1
  bool valid;
};

// What the byte after a lead may be (Unicode 3.9, table 3-7): excludes overlong forms, surrogates, >
// U+10FFFF.
bool second_is_valid(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xe0:
      return second >= 0xa0 && second <= 0xbf;
    case 0xed:
      return second >= 0x80 && second <= 0x9f;
    case 0xf0:
      return second >= 0x90 && second <= 0xbf;
    case 0xf4:
      return second >= 0x80 && second <= 0x8f;
    default:
      return second >= 0x80 && second <= 0xbf;
  }
}

// The UTF-8 sequence that begins at `at`, or the maximal invalid piece.
Piece utf8_piece(std::string_view text, std::size_t at) {
  const unsigned char lead = byte_at(text, at);
  if (lead < 0x80) return {1, true};
  if (lead < 0xc2 || lead > 0xf4) return {1, false};
  const std::size_t wanted = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (std::size_t i = 1; i < wanted; ++i) {
    if (at + i >= text.size()) return {i, false};
    const unsigned char next = byte_at(text, at + i);
    if (!(i == 1 ? second_is_valid(lead, next) : next >= 0x80 && next <= 0xbf)) return {i, false};
  }
  return {wanted, true};
}

void append_unit(std::string& to, unsigned unit) {
  to += "\\u00";
  to += kDigits[unit >> 4];
  to += kDigits[unit & 15];
}

void append_ascii(std::string& to, char c) {
  switch (c) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\n':
      to += "\\n";
      return;
    case '\r':
      to += "\\r";
      return;
    case '\t':
      to += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7f) {
    append_unit(to, byte);
  } else {
    to += c;
  }
}

}  // namespace

void append_json_string(std::string& to, std::string_view text) {
  to += '"';
  for (std::size_t i = 0; i < text.size();) {
    const Piece piece = utf8_piece(text, i);
    if (!piece.valid) {
      to += "\xef\xbf\xbd";
    } else if (piece.bytes == 1) {
      append_ascii(to, text[i]);
    } else if (piece.bytes == 2 && byte_at(text, i) == 0xc2 && byte_at(text, i + 1) < 0xa0) {
      append_unit(to, byte_at(text, i + 1));  // C1: U+0080 to U+009F
    } else {
      to += text.substr(i, piece.bytes);
    }
    i += piece.bytes;
  }
  to += '"';
}

}  // namespace h2park::handlers
