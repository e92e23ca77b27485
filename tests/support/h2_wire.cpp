#include "support/h2_wire.hpp"

namespace h2park::test {
namespace {

// An HPACK integer with a prefix of `bits` bits (RFC 7541 5.1).
std::string integer(std::uint8_t first, int bits, std::size_t value) {
  const std::size_t most = (std::size_t{1} << bits) - 1;
  if (value < most) return {static_cast<char>(first | value)};
  std::string out(1, static_cast<char>(first | most));
  for (value -= most; value >= 128; value /= 128) out.push_back(static_cast<char>(value % 128 + 128));
  out.push_back(static_cast<char>(value));
  return out;
}

std::string text(std::string_view bytes) { return integer(0, 7, bytes.size()).append(bytes); }

}  // namespace

std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
  return out;
}

std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string out = number(payload.size(), 3);
  out.push_back(static_cast<char>(type));
  out.push_back(static_cast<char>(flags));
  return out.append(number(stream, 4)).append(payload);
}

std::string settings_frame(const SettingList& settings) {
  std::string payload;
  for (const auto& [id, value] : settings) payload += number(id, 2) + number(value, 4);
  return frame(kSettings, kNoFlags, 0, payload);
}

std::string settings_ack() { return frame(kSettings, kAck, 0, ""); }

std::string window_update(std::uint32_t stream, std::uint32_t increment) {
  return frame(kWindowUpdate, kNoFlags, stream, number(increment, 4));
}

std::string rst_stream(std::uint32_t stream, std::uint32_t code) {
  return frame(kRstStream, kNoFlags, stream, number(code, 4));
}

std::string ping(std::string_view eight_bytes, std::uint8_t flags) {
  return frame(kPing, flags, 0, eight_bytes);
}

std::string priority(std::uint32_t stream, std::uint32_t depends_on) {
  return frame(kPriority, kNoFlags, stream, number(depends_on, 4) + '\x0f');
}

std::string preface() { return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"; }

std::string literal(std::string_view name, std::string_view value) {
  return std::string(1, '\0') + text(name) + text(value);
}

std::string indexed_literal(std::string_view name, std::string_view value) {
  return std::string(1, '\x40') + text(name) + text(value);
}

std::string block(const FieldList& fields) {
  std::string out;
  for (const auto& [name, value] : fields) out += literal(name, value);
  return out;
}

FieldList request(std::string_view method, std::string_view path, const FieldList& more) {
  FieldList fields = {{":method", std::string(method)},
                      {":scheme", "http"},
                      {":path", std::string(path)},
                      {":authority", "localhost"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

std::uint32_t word(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes.at(i));
  return value;
}

std::vector<Frame> take_frames(std::string& bytes) {
  std::vector<Frame> frames;
  std::string_view rest = bytes;
  while (rest.size() >= 9) {
    const std::size_t length = word(rest, 0) >> 8;
    if (rest.size() < 9 + length) break;
    frames.push_back({static_cast<std::uint8_t>(rest[3]), static_cast<std::uint8_t>(rest[4]),
                      word(rest, 5) & 0x7fff'ffff, std::string(rest.substr(9, length))});
    rest.remove_prefix(9 + length);
  }
  bytes.erase(0, bytes.size() - rest.size());
  return frames;
}

}  // namespace h2park::test
