// BlockFilter: knows blocks most of whose content follows from a small part of it, as a cipher's round keys
// do from its key. Such bytes look random, so no dictionary helps; an image need not have them.
#pragma once

#include <cstddef>
#include <span>

namespace h2park::freezer {

/// Thread: one, with the FlatSlot that uses it.
class BlockFilter {
 public:
  virtual ~BlockFilter() = default;

  /// No filter may know larger blocks.
  static constexpr std::size_t kMostBytes = 2048;

  /// Whether blocks of that size, which is rounded up to granules, are worth a look.
  virtual bool knows(std::size_t bytes) const = 0;
  /// Replaces the copy of a block that lies at `address` by what derive() can restore it from, to the last
  /// bit. False: it is none that the filter knows; `copy` is unchanged.
  virtual bool strip(std::span<std::byte> copy, const std::byte* address) = 0;
  /// Undoes strip(), in place. Never called with anything else.
  virtual void derive(std::span<std::byte> block) = 0;
};

}  // namespace h2park::freezer
