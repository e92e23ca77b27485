// Giving a slot's pages back to the kernel.
#pragma once

#include <cstddef>

namespace h2park::freezer {

/// The slot reads as zeros from then on. `bytes`: how far it was touched. Under AddressSanitizer it is
/// poisoned.
void discard_pages(void* slot, std::size_t bytes);

/// Gives a slot its first pages, which are about to be written, with one system call instead of a fault for
/// each. A kernel that does not know how (before 5.14) leaves it to the faults.
void populate_pages(void* slot, std::size_t bytes);

}  // namespace h2park::freezer
