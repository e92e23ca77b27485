#include "http2/frame_watch.hpp"

#include <algorithm>
#include <cstring>

namespace h2park::http2 {
namespace {

constexpr std::size_t kPrefaceBytes = 24;
constexpr std::size_t kHeadBytes = 9;

std::uint32_t number(const std::byte* bytes, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

FrameHead parse(const std::byte* bytes) {
  return {.length = number(bytes, 3),
          .type = std::to_integer<std::uint16_t>(bytes[3]),
          .flags = std::to_integer<std::uint16_t>(bytes[4]),
          .stream = static_cast<std::int32_t>(number(bytes + 5, 4) & 0x7fff'ffff)};
}

}  // namespace

FrameWatch::Step FrameWatch::step(std::span<const std::byte> input) {
  if (state_ == State::kPreface) {
    const std::size_t taken = std::min(input.size(), kPrefaceBytes - have_);
    have_ = static_cast<std::uint8_t>(have_ + taken);
    if (have_ < kPrefaceBytes) return {taken, Event::kNone};
    have_ = 0;
    state_ = State::kHead;
    const Step rest = take_head(input.subspan(taken));
    return {taken + rest.bytes, rest.event};
  }
  return state_ == State::kHead ? take_head(input) : take_payload(input);
}

FrameWatch::Step FrameWatch::take_head(std::span<const std::byte> input) {
  const std::size_t taken = std::min(input.size(), kHeadBytes - have_);
  if (taken == kHeadBytes) {
    head_ = parse(input.data());
  } else {
    if (taken > 0) std::memcpy(bytes_.data() + have_, input.data(), taken);
    have_ = static_cast<std::uint8_t>(have_ + taken);
    if (have_ < kHeadBytes) return {taken, Event::kNone};
    head_ = parse(bytes_.data());
  }
  have_ = 0;
  left_ = head_.length;
  payload_word_ = 0;
  state_ = State::kPayload;
  return {taken, Event::kHead};
}

FrameWatch::Step FrameWatch::take_payload(std::span<const std::byte> input) {
  const std::size_t taken = std::min<std::size_t>(input.size(), left_);
  const std::uint32_t before = head_.length - left_;
  for (std::size_t i = 0; i < taken && before + i < 4; ++i) {
    payload_word_ = payload_word_ << 8 | std::to_integer<std::uint32_t>(input[i]);
  }
  left_ -= static_cast<std::uint32_t>(taken);
  if (left_ > 0) return {taken, Event::kNone};
  state_ = State::kHead;
  return {taken, Event::kEnd};
}

}  // namespace h2park::http2
