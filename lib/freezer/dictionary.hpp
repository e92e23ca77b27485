// Dictionary: what images are compressed against: a few flattened slots of synthetic sessions.
//
// Requires: samples are made at start, never taken from a peer's connection: a dictionary lives as long as
// the server, and so would that peer's cookies.
//
// An image names its dictionary with one byte and keeps it alive; a newer one may be built at any time, and
// an old one goes with its last image. At most kMost live at once. Thread: any; a Dictionary is constant, its
// count is atomic.
#pragma once

#include "base/error.hpp"
#include "freezer/known_words.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace h2park::freezer {

class BlockFilter;
class SlotHeap;

class Dictionary {
 public:
  /// A counted reference. Null when default-constructed or moved from.
  class Ref {
   public:
    Ref() = default;
    Ref(const Ref& other) noexcept : dictionary_(other.dictionary_) { hold(dictionary_); }
    Ref(Ref&& other) noexcept : dictionary_(std::exchange(other.dictionary_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
      std::swap(dictionary_, other.dictionary_);
      return *this;
    }
    ~Ref() { drop(dictionary_); }

    explicit operator bool() const { return dictionary_ != nullptr; }
    const Dictionary& operator*() const { return *dictionary_; }
    const Dictionary* operator->() const { return dictionary_; }
    const Dictionary* get() const { return dictionary_; }

   private:
    friend class Dictionary;
    explicit Ref(const Dictionary* counted) : dictionary_(counted) {}

    const Dictionary* dictionary_ = nullptr;
  };

  /// Whether slots that are packed against it may have shapes. Not if a filter knows much of their content.
  enum class Shapes : std::uint8_t { kNone, kLearnt };

  static constexpr std::size_t kMost = 255;
  /// Instead of a compression level of zstd's, which is for comparison (tests/bench/freezer_bench.cpp).
  static constexpr int kOwnParameters = 0;

  /// From sample slots, which are settled but not changed otherwise. With five to eight samples whose text
  /// differs, the statistics of the differing parts are learnt as well; with fewer, or with equal ones, only
  /// the content is used. Errors: no sample, no memory, or kMost dictionaries still in use.
  /// `filter`: as the packer's.
  static Result<Ref> build(std::span<SlotHeap* const> samples, int level = kOwnParameters,
                           BlockFilter* filter = nullptr, Shapes shapes = Shapes::kLearnt);
  /// The same from flattened slots.
  static Result<Ref> build(const std::vector<std::vector<std::byte>>& samples, int level = kOwnParameters);

  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  /// Below kMost; unique among the living.
  std::uint8_t number() const { return number_; }
  const ZSTD_CDict_s* for_compression() const { return compression_; }
  const ZSTD_DDict_s* for_decompression() const { return decompression_; }
  /// What shapes may remember; see shape.hpp. Nothing if there are none.
  const KnownWords& known() const { return known_; }

  // ---- for Image, which has no room for a Ref
  /// The living dictionary of that number. Null: there is none.
  static const Dictionary* find(std::uint8_t number);
  static void hold(const Dictionary* dictionary);
  static void drop(const Dictionary* dictionary);
  /// How many live.
  static std::size_t count();

 private:
  using Samples = std::vector<std::vector<std::byte>>;

  Dictionary(std::uint8_t number, std::vector<std::byte> content, KnownWords known)
      : number_(number), content_(std::move(content)), known_(std::move(known)) {}
  void make(int level);
  static Result<Ref> build(const Samples& samples, int level, KnownWords known);
  ~Dictionary();

  const std::uint8_t number_;
  const std::vector<std::byte> content_;  // both of zstd's refer to it
  const KnownWords known_;
  ZSTD_CDict_s* compression_ = nullptr;
  ZSTD_DDict_s* decompression_ = nullptr;
  mutable std::atomic<std::uint32_t> references_{1};
};

}  // namespace h2park::freezer
