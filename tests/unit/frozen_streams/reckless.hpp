// For tests that lose a connection on purpose. What it had on the heap is lost with its last image, and its
// handlers' frames are never uncounted: so on a thread whose count nobody looks at, and where no leak is
// looked for.
#pragma once

#include <thread>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace h2park::test {

template <class Body>
void recklessly(Body body) {
  std::thread([&] {
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler on_purpose;
#endif
    body();
  }).join();
}

}  // namespace h2park::test
