#include "freezer/image.hpp"

#include "freezer/checksum.hpp"

#include <malloc.h>

#include <cstdlib>
#include <cstring>

namespace h2park::freezer {
namespace {

// Offsets in the block, which is packed: a byte saved is a byte for every idle connection.
constexpr std::size_t kLengthAt = sizeof(std::uint32_t);
constexpr std::size_t kNumberAt = kLengthAt + sizeof(std::uint16_t);
constexpr std::size_t kBytesAt = kNumberAt + sizeof(std::uint8_t);

}  // namespace

Image::Image(const Dictionary& dictionary, std::span<const std::byte> compressed)
    : block_(static_cast<std::byte*>(std::malloc(kBytesAt + compressed.size()))) {
  if (block_ == nullptr) return;
  const auto length = static_cast<std::uint16_t>(compressed.size());
  std::memcpy(block_ + kLengthAt, &length, sizeof length);
  block_[kNumberAt] = std::byte{dictionary.number()};
  std::memcpy(block_ + kBytesAt, compressed.data(), compressed.size());
  const std::uint32_t sum = checksum();
  std::memcpy(block_, &sum, sizeof sum);
  Dictionary::hold(&dictionary);
}

std::size_t Image::block_bytes() const { return malloc_usable_size(block_); }

std::size_t Image::length() const {
  std::uint16_t length;
  std::memcpy(&length, block_ + kLengthAt, sizeof length);
  return length;
}

std::uint32_t Image::checksum() const {
  return checksum_of({block_ + kLengthAt, kBytesAt - kLengthAt + length()});
}

bool Image::intact() const {
  if (kBytesAt + length() > block_bytes()) return false;
  std::uint32_t sum;
  std::memcpy(&sum, block_, sizeof sum);
  return sum == checksum();
}

const Dictionary* Image::dictionary() const {
  return Dictionary::find(std::to_integer<std::uint8_t>(block_[kNumberAt]));
}

std::span<const std::byte> Image::compressed() const { return {block_ + kBytesAt, length()}; }

void Image::reset() {
  if (block_ == nullptr) return;
  // A damaged image may name a dictionary that is not its own: then one reference is lost instead of one
  // stolen.
  if (intact()) Dictionary::drop(dictionary());
  explicit_bzero(block_, block_bytes());
  std::free(block_);
  block_ = nullptr;
}

std::size_t Image::heap_bytes() const { return block_ == nullptr ? 0 : block_bytes() + sizeof(std::size_t); }

std::span<std::byte> Image::block() { return {block_, kBytesAt + length()}; }

}  // namespace h2park::freezer
