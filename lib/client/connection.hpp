// Connection: one HTTP/1.1 connection of the pool, from its dialling to its close.
//
//   kDialling -> kIdle <-> kBusy -> kDraining -> kIdle          any of them -> kClosed, which nothing leaves
//
//   opened(): dialled    take(): a request has it    answered(): its body was read to the end, or drained at
//   once (kIdle), or the rest of it is being drained (kDraining)    close(): see CloseReason
//
// All changes go through move_to(). The pool owns connections and hears of every change.
#pragma once

#include "base/clock.hpp"
#include "client/dialer.hpp"
#include "client/drain.hpp"
#include "client/reuse.hpp"
#include "http1/response_reader.hpp"
#include "net/reactor.hpp"

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/intrusive/list_hook.hpp>

namespace h2park::client {

enum class ConnectionState : std::uint8_t { kDialling, kBusy, kDraining, kIdle, kClosed };
inline constexpr std::size_t kConnectionStates = static_cast<std::size_t>(ConnectionState::kClosed) + 1;

class Connection;
struct PoolGroup;

/// The pool, as its connections see it.
class ConnectionOwner {
 public:
  /// After each change. With `to` kClosed the connection is no longer used, and destroyed in a later turn.
  virtual void on_state(Connection& connection, ConnectionState from, ConnectionState to) = 0;

 protected:
  ~ConnectionOwner() = default;
};

/// What connections of one client share. Thread: the client's.
struct ConnectionShared {
  net::Reactor& reactor;
  ConnectionOwner& owner;
  const Options& options;
  std::span<std::byte> read_buffer;  ///< for one read at a time; nothing stays in it
};

/// Thread: the client's.
class Connection final : private net::ReadyListener {
 public:
  using Hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  using OnDrained = std::move_only_function<void(const DrainFacts&)>;

  Connection(const ConnectionShared& shared, MissReason why_dialled);
  ~Connection();

  /// From kDialling to kIdle.
  void opened(std::uint64_t id, Dialled dialled);
  /// Looks at the socket of an idle connection. False, and it is closed, if it turns out to be dead or to
  /// have said what nobody asked.
  bool is_quiet();
  /// From kIdle to kBusy.
  void take(const http1::RequestTraits& traits);
  void close(CloseReason reason);

  // --- While busy ---

  enum class Io : std::uint8_t {
    kProgress,  ///< something was sent, or received and handed to the sink
    kWait,      ///< nothing without waiting
    kEof,       ///< the peer will send no more; the reader knows
    kError,     ///< the pipe broke: transport().error_text()
  };
  /// Sends a prefix of `bytes` and shortens them by it.
  Io send(std::string_view& bytes);
  /// Hands over what there is of the response, at most `room` bytes of its body.
  Io receive(http1::ResponseSink& sink, std::uint64_t room);
  /// Decrypted or undelivered bytes are there, so that waiting for the socket would be wrong.
  bool has_input() const;
  /// Any byte of the response has come.
  bool has_response() const { return reader_.started() || has_unread(); }
  /// Received bytes wait for more, or to be wanted.
  bool has_unread() const { return !unread_.empty(); }
  /// After kEof: body bytes that were announced and did not come.
  std::optional<std::uint64_t> lacking() const { return lacking_; }

  enum class Ready : std::uint8_t { kIo, kDeadline };
  class Wait;
  /// co_await: until the socket is readable (or writable, if wanted), or `deadline`.
  Wait wait(bool for_write, TimePoint deadline);

  /// The caller is done with the response: drains the rest of its body (client/drain.hpp) and goes to kIdle
  /// or kClosed, at once or later. `on_drained` is called once, perhaps before this returns; not if the
  /// connection is destroyed first. Requires: the final head was read. `forced`: why it cannot be reused
  /// whatever the response says, or kNone.
  void answered(CloseReason forced, OnDrained on_drained);
  /// Ends the drain as if its time were over. Requires: kDraining.
  void cut_drain();

  // --- Always ---

  ConnectionState state() const { return state_; }
  http1::ResponseReader& reader() { return reader_; }
  net::Transport& transport() { return *dialled_.transport; }
  const Dialled& dialled() const { return dialled_; }
  std::uint64_t id() const { return id_; }
  std::uint64_t requests() const { return requests_; }  ///< begun on it
  TimePoint idle_since() const { return idle_since_; }
  CloseReason close_reason() const { return close_reason_; }
  MissReason why_dialled() const { return why_dialled_; }

  // The pool's own.
  PoolGroup* group = nullptr;
  Hook group_hook;  ///< idle ones of the group
  Hook age_hook;    ///< idle ones of all groups

 private:
  friend class Drain;

  void on_readable() override;
  void on_writable() override;
  void on_due();
  void resume(Ready ready);
  void move_to(ConnectionState next);
  void rest();
  bool show_unread(http1::ResponseSink& sink, std::uint64_t room);
  void end_drain(DrainEnd end);
  CloseReason judge_rest() const;
  TimePoint idle_deadline() const;

  const ConnectionShared& shared_;
  const MissReason why_dialled_;

  std::uint64_t id_ = 0;
  Dialled dialled_;
  std::unique_ptr<net::Watch> watch_;
  http1::ResponseReader reader_;
  std::string unread_;   // received, not yet taken by the reader
  bool hungry_ = false;  // the reader was shown it and needs more
  std::optional<std::uint64_t> lacking_;
  net::Timer timer_;  // busy: the request's deadline; draining: the drain's; idle: the connection's

  ConnectionState state_ = ConnectionState::kDialling;
  CloseReason close_reason_ = CloseReason::kNone;
  std::uint64_t requests_ = 0;
  TimePoint idle_since_{};

  std::coroutine_handle<> waiting_;  // the request's coroutine, inside a Wait
  Ready ready_ = Ready::kIo;
  std::optional<Drain> drain_;
  OnDrained on_drained_;
};

class Connection::Wait {
 public:
  Wait(Connection& connection, bool for_write, TimePoint deadline)
      : connection_(connection), for_write_(for_write), deadline_(deadline) {}
  ~Wait() {
    if (suspended_) connection_.waiting_ = {};
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting);
  Ready await_resume() noexcept {
    suspended_ = false;
    return connection_.ready_;
  }

 private:
  Connection& connection_;
  const bool for_write_;
  const TimePoint deadline_;
  bool suspended_ = false;
};

}  // namespace h2park::client
