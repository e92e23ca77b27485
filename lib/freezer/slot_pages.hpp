// Giving a slot's pages back to the kernel.
#pragma once

#include <cstddef>

namespace h2park::freezer {

/// The slot reads as zeros from then on. `bytes`: how far it was touched. Under AddressSanitizer it is
/// poisoned.
void discard_pages(void* slot, std::size_t bytes);

}  // namespace h2park::freezer
