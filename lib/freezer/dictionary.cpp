#include "freezer/dictionary.hpp"

#include "freezer/flat_slot.hpp"

#include <zdict.h>
#include <zstd.h>

#include <array>
#include <memory>

namespace h2park::freezer {
namespace {

// A number that is taken by a dictionary under construction.
const Dictionary* const kClaimed = reinterpret_cast<const Dictionary*>(1);

constinit std::array<std::atomic<const Dictionary*>, Dictionary::kMost> living{};

/// The content, with tables of statistics in front if the samples are varied enough for zstd to make them.
std::vector<std::byte> with_statistics(std::vector<std::byte> content, const std::vector<std::byte>& samples,
                                       const std::vector<std::size_t>& sizes, int level) {
  std::vector<std::byte> finished(content.size() + std::size_t{64} * 1024);
  const ZDICT_params_t parameters{.compressionLevel = level, .notificationLevel = 0, .dictID = 0};
  const std::size_t size =
      ZDICT_finalizeDictionary(finished.data(), finished.size(), content.data(), content.size(),
                               samples.data(), sizes.data(), static_cast<unsigned>(sizes.size()), parameters);
  if (ZDICT_isError(size) != 0) return content;
  finished.resize(size);
  return finished;
}

}  // namespace

Result<Dictionary::Ref> Dictionary::build(std::span<SlotHeap* const> slots, int level, BlockFilter* filter) {
  const auto flat = std::make_unique<FlatSlot>();
  flat->set_filter(filter);
  std::vector<std::vector<std::byte>> samples;
  for (SlotHeap* slot : slots) {
    const auto bytes = flat->flatten(*slot);
    samples.emplace_back(bytes.begin(), bytes.end());
  }
  return build(samples, level);
}

Result<Dictionary::Ref> Dictionary::build(const std::vector<std::vector<std::byte>>& samples, int level) {
  std::vector<std::byte> content;
  std::vector<std::size_t> sizes;
  for (const auto& sample : samples) {
    content.insert(content.end(), sample.begin(), sample.end());
    sizes.push_back(sample.size());
  }
  if (content.empty()) return fail("no samples for the freezer's dictionary");
  content = with_statistics(content, content, sizes, level);

  std::size_t number = 0;
  for (const Dictionary* none = nullptr; !living[number].compare_exchange_strong(none, kClaimed);
       none = nullptr) {
    if (++number == kMost) return fail("too many of the freezer's dictionaries are in use");
  }
  auto* made = new Dictionary(static_cast<std::uint8_t>(number));
  made->compression_ = ZSTD_createCDict(content.data(), content.size(), level);
  made->decompression_ = ZSTD_createDDict(content.data(), content.size());
  living[number].store(made, std::memory_order_release);
  Ref reference(made);
  if (made->compression_ == nullptr || made->decompression_ == nullptr) {
    return fail("no memory for the freezer's dictionary");
  }
  return reference;
}

Dictionary::~Dictionary() {
  ZSTD_freeCDict(compression_);
  ZSTD_freeDDict(decompression_);
}

const Dictionary* Dictionary::find(std::uint8_t number) {
  if (number >= kMost) return nullptr;
  const Dictionary* found = living[number].load(std::memory_order_acquire);
  return found == kClaimed ? nullptr : found;
}

void Dictionary::hold(const Dictionary* dictionary) {
  if (dictionary != nullptr) dictionary->references_.fetch_add(1, std::memory_order_relaxed);
}

void Dictionary::drop(const Dictionary* dictionary) {
  if (dictionary == nullptr || dictionary->references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  living[dictionary->number_].store(nullptr, std::memory_order_release);
  delete dictionary;
}

std::size_t Dictionary::count() {
  std::size_t count = 0;
  for (std::uint8_t number = 0; number < kMost; ++number) count += find(number) != nullptr ? 1 : 0;
  return count;
}

}  // namespace h2park::freezer
