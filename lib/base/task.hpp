// Task: the coroutine type of handlers, middleware and serve loops.
//
// 1. A task starts at once (eager). One that finishes without suspending costs its caller no switch: the
//    caller's co_await sees it done.
// 2. Awaiting a suspended task makes the awaiting coroutine its continuation; it is resumed by symmetric
//    transfer when the task ends.
// 3. A top-level task has no awaiter. Its owner keeps the Task object and may ask to be told of the end with
//    on_done(); the callback runs when the frame is at its final suspension and may destroy the Task.
// 4. Destroying a Task destroys its frame, suspended or done. An exception nobody awaited stays in the frame;
//    the owner of a top-level task takes it with exception().
//
// 5. g++ 12 puts the hidden variable of a condition that awaits (`if (!co_await ...)`, `while`, `switch`,
//    `&&`) before the frame's resume pointer, and so breaks the coroutine, when the function's body declares
//    no variable at all. Declare one:
//        const bool open = co_await response.write(piece);
//        if (!open) co_return;
//    A coroutine that is laid out wrongly ends the process when it is first started, with a line that says
//    so, instead of corrupting memory later.
//
// Frames come from base/frame_memory. Thread: a task lives on the thread that started it.
#pragma once

#include "base/frame_memory.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace h2park {

template <class T = void>
class Task;

namespace detail {

class TaskPromiseBase {
 public:
  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame) noexcept { free_frame(frame); }

  std::suspend_never initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept { return FinalAwaiter{}; }
  void unhandled_exception() noexcept { exception_ = std::current_exception(); }

  std::coroutine_handle<> continuation_;
  void (*on_done_)(void*) noexcept = nullptr;
  void* on_done_context_ = nullptr;
  std::exception_ptr exception_;

 private:
  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      TaskPromiseBase& promise = self.promise();
      if (promise.continuation_) return promise.continuation_;
      // The callback may destroy this frame: nothing of it is touched afterwards.
      if (promise.on_done_ != nullptr) promise.on_done_(promise.on_done_context_);
      return std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
};

template <class T>
class TaskPromise final : public TaskPromiseBase {
 public:
  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
};

template <>
class TaskPromise<void> final : public TaskPromiseBase {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() noexcept {}
  void take() noexcept {}
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;

  Task() noexcept = default;
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  /// False for a default-constructed or moved-from task.
  explicit operator bool() const noexcept { return static_cast<bool>(frame_); }
  bool done() const noexcept { return frame_.done(); }
  /// What escaped from a done task, or null.
  std::exception_ptr exception() const noexcept { return frame_.promise().exception_; }

  /// Top-level tasks: `callback(context)` is called once at the end.
  /// Requires: not done(), nobody awaits the task.
  void on_done(void (*callback)(void*) noexcept, void* context) noexcept {
    frame_.promise().on_done_ = callback;
    frame_.promise().on_done_context_ = context;
  }

  bool await_ready() const noexcept { return frame_.done(); }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    frame_.promise().continuation_ = awaiting;
    return std::noop_coroutine();
  }
  T await_resume() {
    if (frame_.promise().exception_) std::rethrow_exception(frame_.promise().exception_);
    return frame_.promise().take();
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

  std::coroutine_handle<promise_type> frame_;
};

namespace detail {
template <class T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
  const auto frame = std::coroutine_handle<TaskPromise>::from_promise(*this);
  require_newest_frame(frame.address());
  return Task<T>(frame);
}
inline Task<void> TaskPromise<void>::get_return_object() noexcept {
  const auto frame = std::coroutine_handle<TaskPromise>::from_promise(*this);
  require_newest_frame(frame.address());
  return Task<void>(frame);
}
}  // namespace detail

}  // namespace h2park
