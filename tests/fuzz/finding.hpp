// What a fuzz target does when an invariant does not hold: it says which, and ends the process.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace h2park::fuzz {

/// Ends the process unless `holds`; libFuzzer then keeps the input.
inline void require(bool holds, const char* invariant) {
  if (holds) return;
  std::fprintf(stderr, "fuzz finding: %s\n", invariant);
  std::abort();
}

}  // namespace h2park::fuzz
