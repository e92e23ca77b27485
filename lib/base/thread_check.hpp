// ThreadCheck: asserts in debug builds that an object's methods run on the thread that owns it.
#pragma once

#include <cassert>
#include <thread>

namespace h2park {

#ifndef NDEBUG

/// Member of a class whose methods need "the connection's thread" or "the loop's thread". The thread that
/// made it owns it until bind_here(). Thread: check() from any; bind_here() before the new owner's first
/// check().
class ThreadCheck {
 public:
  /// The calling thread is the owner from now on: for objects made by one thread and run by another.
  void bind_here() noexcept { owner_ = std::this_thread::get_id(); }
  bool here() const noexcept { return owner_ == std::this_thread::get_id(); }
  void check() const noexcept { assert(here() && "called on a thread that does not own the object"); }

 private:
  std::thread::id owner_ = std::this_thread::get_id();
};

#else

/// Release: nothing, at no size with [[no_unique_address]].
class ThreadCheck {
 public:
  void bind_here() noexcept {}
  bool here() const noexcept { return true; }
  void check() const noexcept {}
};

#endif

}  // namespace h2park
