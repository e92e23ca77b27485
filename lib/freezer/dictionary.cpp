#include "freezer/dictionary.hpp"

#include "freezer/flat_slot.hpp"

// For parameters of our own; Debian's library exports these functions.
#define ZSTD_STATIC_LINKING_ONLY
#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

namespace h2park::freezer {
namespace {

// A number that is taken by a dictionary under construction.
const Dictionary* const kClaimed = reinterpret_cast<const Dictionary*>(1);

constinit std::array<std::atomic<const Dictionary*>, Dictionary::kMost> living{};

// Greedy, with tables that hold a few samples and stay in the cache. A fleet with texts of its own, bytes per
// image and time to pack one with cold caches: zstd's level 3 (two hash tables) 263 and 6.5 us, this 225
// and 7.2, lazy matching with the same tables 200 and 18, level 9 188 and 26, level 19 183 and 670. Clients
// that are alike: 69, 69, 74, 72, 67. Six bytes in a hundred are not worth ten microseconds of every freeze.
ZSTD_compressionParameters own_parameters(std::size_t bytes) {
  const auto table_log = static_cast<unsigned>(std::bit_width(bytes / 4));
  return {
      .windowLog = 16,
      .chainLog = std::clamp(table_log, 12U, 17U),
      .hashLog = std::clamp(table_log, 12U, 17U),
      .searchLog = 2,
      .minMatch = 5,
      .targetLength = 4,
      .strategy = ZSTD_greedy,
  };
}
static_assert(kMostFlatBytes <= std::size_t{1} << 16, "the window");

// What the statistics of literals and matches are made with.
constexpr int kLevelOfStatistics = 5;

/// The content, with tables of statistics in front if the samples are varied enough for zstd to make them.
std::vector<std::byte> with_statistics(std::vector<std::byte> content, const std::vector<std::byte>& samples,
                                       const std::vector<std::size_t>& sizes) {
  std::vector<std::byte> finished(content.size() + std::size_t{64} * 1024);
  const ZDICT_params_t parameters{
      .compressionLevel = kLevelOfStatistics, .notificationLevel = 0, .dictID = 0};
  const std::size_t size =
      ZDICT_finalizeDictionary(finished.data(), finished.size(), content.data(), content.size(),
                               samples.data(), sizes.data(), static_cast<unsigned>(sizes.size()), parameters);
  if (ZDICT_isError(size) != 0) return content;
  finished.resize(size);
  return finished;
}

}  // namespace

Result<Dictionary::Ref> Dictionary::build(std::span<SlotHeap* const> slots, int level, BlockFilter* filter,
                                          Shapes shapes) {
  const auto flat = std::make_unique<FlatSlot>();
  flat->set_filter(filter);
  Samples samples;
  for (SlotHeap* slot : slots) {
    const auto bytes = flat->flatten(*slot);
    samples.emplace_back(bytes.begin(), bytes.end());
  }
  return build(samples, level, shapes == Shapes::kNone ? KnownWords() : KnownWords(slots));
}

Result<Dictionary::Ref> Dictionary::build(const Samples& samples, int level) {
  return build(samples, level, {});
}

Result<Dictionary::Ref> Dictionary::build(const Samples& samples, int level, KnownWords known) {
  std::vector<std::byte> content;
  std::vector<std::size_t> sizes;
  for (const auto& sample : samples) {
    content.insert(content.end(), sample.begin(), sample.end());
    sizes.push_back(sample.size());
  }
  if (content.empty()) return fail("no samples for the freezer's dictionary");
  content = with_statistics(content, content, sizes);

  std::size_t number = 0;
  for (const Dictionary* none = nullptr; !living[number].compare_exchange_strong(none, kClaimed);
       none = nullptr) {
    if (++number == kMost) return fail("too many of the freezer's dictionaries are in use");
  }
  content.shrink_to_fit();
  auto* made = new Dictionary(static_cast<std::uint8_t>(number), std::move(content), std::move(known));
  made->make(level);
  living[number].store(made, std::memory_order_release);
  Ref reference(made);
  if (made->compression_ == nullptr || made->decompression_ == nullptr) {
    return fail("no memory for the freezer's dictionary");
  }
  return reference;
}

void Dictionary::make(int level) {
  compression_ = ZSTD_createCDict_advanced(content_.data(), content_.size(), ZSTD_dlm_byRef, ZSTD_dct_auto,
                                           level == kOwnParameters
                                               ? own_parameters(content_.size())
                                               : ZSTD_getCParams(level, kMostFlatBytes, content_.size()),
                                           ZSTD_defaultCMem);
  decompression_ = ZSTD_createDDict_byReference(content_.data(), content_.size());
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
