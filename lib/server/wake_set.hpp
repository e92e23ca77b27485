// WakeSet: the reasons for which a connection is to be woken, as bits.
#pragma once

#include "stats/counters.hpp"

#include <bit>
#include <cstdint>

namespace h2park::server {

using stats::WakeReason;

class WakeSet {
 public:
  constexpr WakeSet() = default;
  constexpr explicit WakeSet(std::uint32_t bits) : bits_(bits) {}
  constexpr WakeSet(WakeReason reason) : bits_(1U << static_cast<unsigned>(reason)) {}

  constexpr bool has(WakeReason reason) const { return (bits_ & WakeSet(reason).bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint32_t bits() const { return bits_; }
  constexpr WakeSet& operator|=(WakeSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  /// The one a wake is counted under when several came together: the first in the enum's order.
  constexpr WakeReason first() const { return static_cast<WakeReason>(std::countr_zero(bits_)); }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace h2park::server
