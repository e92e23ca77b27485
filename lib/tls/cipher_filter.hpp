// CipherFilter: the state of AES-GCM without what follows from its key.
//
// An AES-GCM context of OpenSSL takes 960 bytes, of which the round keys and the multiples of the hash key,
// up to 496, look random. A connection has two. They all follow from 16 or 32 bytes, so:
//
// 1. A reference context is set up with the key that the block has where contexts have their key. (Where that
//    is, and how long a context is, is found out with a key of our own. Nothing else is assumed about the
//    structure.)
// 2. The block is replaced by its difference to the reference, which is zero but for counters and such, and
//    the key.
// 3. To derive the block again the same reference is made from the key, and the difference added.
//
// If the processor's or the library's way to lay out round keys is another one, no block is recognised and
// nothing is stripped. The same holds for a library whose contexts are not equal when they have the same key
// twice. References are given another key after each use.
#pragma once

#include "freezer/block_filter.hpp"
#include "tls/slot_routing.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace h2park::tls {

/// Requires: allocations are routed, else it knows nothing. Thread: one.
class CipherFilter final : public freezer::BlockFilter {
 public:
  CipherFilter();
  ~CipherFilter() override;
  CipherFilter(const CipherFilter&) = delete;
  CipherFilter& operator=(const CipherFilter&) = delete;

  bool knows(std::size_t bytes) const override;
  bool strip(std::span<std::byte> copy, const std::byte* address) override;
  void derive(std::span<std::byte> block) override;

 private:
  /// A context that is only there to be compared with.
  class Reference;

  bool strip_with(Reference& reference, std::span<std::byte> copy, const std::byte* address);
  Reference* reference_for(std::span<const std::byte> stripped);

  std::array<std::unique_ptr<Reference>, 2> references_;  // AES-128, AES-256; null: not understood
};

}  // namespace h2park::tls
