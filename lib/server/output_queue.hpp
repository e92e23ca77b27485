// OutputQueue: the bytes that a connection's transport did not take yet.
//
// Output is gathered in the thread's buffer and sent at the end of a flush, or when the buffer is full; only
// what the transport refuses is copied here and belongs to the connection. While anything is queued,
// blocked() tells the session to produce no more DATA, so the queue holds at most one gather buffer, one
// frame and what is owed.
#pragma once

#include "http/session.hpp"
#include "net/transport.hpp"

#include <cstddef>
#include <memory_resource>
#include <span>
#include <string>

namespace h2park::server {

/// Thread: the connection's.
class OutputQueue {
 public:
  explicit OutputQueue(std::pmr::memory_resource* memory) : unsent_(memory) {}

  bool empty() const { return taken_ == unsent_.size(); }
  std::size_t bytes() const { return unsent_.size() - taken_; }
  void append(std::span<const std::byte> bytes);

  enum class Progress : std::uint8_t {
    kAll,    ///< the queue is empty
    kSome,   ///< the transport took a part and is full now
    kNone,   ///< the transport took nothing
    kError,  ///< the transport is dead
  };
  /// Sends what is queued, as far as the transport takes it.
  Progress send(net::Transport& transport);

 private:
  std::pmr::string unsent_;
  std::size_t taken_ = 0;
};

/// One flush: a sink that gathers, sends and queues the rest. Lives on the stack.
class Flush final : public http::OutputSink {
 public:
  Flush(net::Transport& transport, OutputQueue& queue, std::span<std::byte> gather_buffer)
      : transport_(transport), queue_(queue), gather_(gather_buffer) {}

  void write(std::span<const std::byte> bytes) override;
  bool blocked() const override { return failed_ || !queue_.empty(); }
  /// Sends what was gathered. False: the transport is dead.
  bool finish();
  /// Bytes the transport has taken.
  std::size_t sent() const { return sent_; }

 private:
  void send(std::span<const std::byte> bytes);

  net::Transport& transport_;
  OutputQueue& queue_;
  std::span<std::byte> gather_;
  std::size_t gathered_ = 0;
  std::size_t sent_ = 0;
  bool failed_ = false;
};

}  // namespace h2park::server
