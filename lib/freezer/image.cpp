#include "freezer/image.hpp"

#include "freezer/checksum.hpp"

#include <algorithm>
#include <cstring>

namespace h2park::freezer {
namespace {

// Offsets in the block, which is packed: a byte saved is a byte for every idle connection.
constexpr std::size_t kLengthAt = sizeof(std::uint32_t);
constexpr std::size_t kNumberAt = kLengthAt + sizeof(std::uint16_t);
constexpr std::size_t kBytesAt = kNumberAt + sizeof(std::uint8_t);

constexpr std::byte kNoDictionary{0xFF};
static_assert(Dictionary::kMost <= 0xFF);

}  // namespace

Image::Image(ImageStore& store, const Dictionary* dictionary, std::span<const std::byte> packed)
    : block_(store.obtain(kBytesAt + packed.size())) {
  if (!block_) return;
  std::byte* bytes = block_.data();
  const auto length = static_cast<std::uint16_t>(packed.size());
  std::memcpy(bytes + kLengthAt, &length, sizeof length);
  bytes[kNumberAt] = dictionary == nullptr ? kNoDictionary : std::byte{dictionary->number()};
  std::ranges::copy(packed, bytes + kBytesAt);
  const std::uint32_t sum = checksum();
  std::memcpy(bytes, &sum, sizeof sum);
  Dictionary::hold(dictionary);
}

std::size_t Image::length() const {
  std::uint16_t length;
  std::memcpy(&length, block_.data() + kLengthAt, sizeof length);
  return length;
}

std::uint32_t Image::checksum() const {
  return checksum_of({block_.data() + kLengthAt, kBytesAt - kLengthAt + length()});
}

bool Image::intact() const {
  if (kBytesAt + length() > block_.capacity()) return false;
  std::uint32_t sum;
  std::memcpy(&sum, block_.data(), sizeof sum);
  return sum == checksum();
}

const Dictionary* Image::dictionary() const {
  return Dictionary::find(std::to_integer<std::uint8_t>(block_.data()[kNumberAt]));
}

Image::Form Image::form() const {
  return block_.data()[kNumberAt] == kNoDictionary ? Form::kShaped : Form::kFlat;
}

std::span<const std::byte> Image::packed() const { return {block_.data() + kBytesAt, length()}; }

void Image::reset() {
  if (!block_) return;
  // A damaged image may name a dictionary that is not its own: then one reference is lost instead of one
  // stolen.
  if (intact()) Dictionary::drop(dictionary());
  ImageStore::release(std::exchange(block_, {}));
}

std::span<std::byte> Image::block() { return {block_.data(), kBytesAt + length()}; }

}  // namespace h2park::freezer
