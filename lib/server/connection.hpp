// Connection: the life of one socket, from accept to close.
//
//              handshake done        preface seen         session finished, all sent
//   kHandshake --------------> kPreface ----------> kServing ------------------------> kLingering
//   (TLS only)                (plain only)             |                                   | EOF or timeout
//        |                         |                   | dead transport, timeout           v
//        +-------------------------+-------------------+------------------------------> kClosed
//
// One turn (serve() runs one whenever something happened):
//   1. what is due: timeouts, handlers' sleeps, the server's stop;
//   2. input: socket -> transport -> the thread's buffer -> session;
//   3. handlers: start new requests, resume ready ones;
//   4. output: session -> gather buffer -> transport; what the transport refuses stays in the output queue;
//      3 and 4 again while they give each other work;
//   5. settle: close if it is over, tell the lot what to wait for, tell the list of deadlines when.
// All state stands in this object, none in serve()'s frame between two turns: that is why the coroutine can
// go when there is nothing to do (Dormancy parks the connection) and a new one can go on later.
#pragma once

#include "base/task.hpp"
#include "http/session.hpp"
#include "net/plain_transport.hpp"
#include "net/unique_fd.hpp"
#include "server/account.hpp"
#include "server/connection_context.hpp"
#include "server/connection_id.hpp"
#include "server/dormancy.hpp"
#include "server/exchanges.hpp"
#include "server/output_queue.hpp"
#include "server/preface.hpp"
#include "server/wake_set.hpp"
#include "tls/server_transport.hpp"

#include <memory>
#include <memory_resource>
#include <variant>

namespace h2park::server {

/// Thread: the worker's only. Owned by the worker; everything else refers to it by its ConnectionId.
class Connection final : public http::ConnectionInfo, private ExchangeOwner {
 public:
  enum class Phase : std::uint8_t { kHandshake, kPreface, kServing, kLingering, kClosed };

  /// `memory`: its own, where it lies itself and all that it keeps; it outlives the connection.
  /// `tls`: null for a plain one. `number`: unique in the process.
  Connection(ConnectionContext& context, std::pmr::memory_resource* memory, net::UniqueFd socket,
             tls::ServerContext* tls, std::uint64_t number);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Enters the lot. False: the system refused.
  bool open(ConnectionId id);
  ConnectionId id() const { return id_; }
  std::pmr::memory_resource* memory() const { return memory_; }
  Phase phase() const { return phase_; }

  /// The serve loop. Ends when the connection is closed, or when it may be parked.
  Task<> serve();
  /// Adds what happened; resumes a waiting serve loop.
  void notify(WakeSet reasons);

  // ---- for Dormancy
  /// The running serve loop; empty while parked.
  Task<> serve_task;
  /// Whether there is nothing to do now and nothing owed: the argument stands beside can_park() in
  /// dormancy.hpp.
  ParkFacts park_facts() const;
  /// While parked: must not be frozen, because a handler waits for something that is not ours.
  bool pinned() const { return exchanges_.pinned(); }

  /// What it is counted as in the worker's gauges; see Freezing::account_of().
  Account account() const;

  // ---- for the worker
  /// Closed, and no handler is left.
  bool over() const { return phase_ == Phase::kClosed && exchanges_.empty(); }
  http::CloseReason close_reason() const { return close_reason_; }
  /// -1 once closed.
  int descriptor() const { return transport_ != nullptr ? transport_->descriptor() : -1; }

  // ---- http::ConnectionInfo
  std::uint64_t number() const override { return number_; }
  std::string peer() const override;
  bool secure() const override { return secure_; }
  http::TlsInfo tls() const override;

 private:
  struct NextEvent;

  // a turn and its steps
  void turn(WakeSet reasons);
  void act_on_time();
  void act_on_stop();
  void cancel_session();
  void read_input();
  void read_once(bool& more);
  void accept_input(std::span<const std::byte> bytes);
  bool start_requests();
  void input_ended();
  void continue_handshake();
  void run_handlers_and_flush();
  bool flush();
  void settle();

  // transitions
  void begin_session(bool http2);
  void finish();
  void close(http::CloseReason reason);

  bool wants_input() const;
  void note_work();
  bool rested() const;
  std::size_t buffered_bytes() const;
  void update_interest();
  void update_deadline();
  void update_gauges();

  // ExchangeOwner
  void poke(WakeReason reason) override;
  const http::ConnectionInfo& connection_info() const override { return *this; }

  // constant after open()
  ConnectionContext& context_;
  std::pmr::memory_resource* const memory_;
  const std::uint64_t number_;
  ConnectionId id_;

  std::variant<std::monostate, net::PlainTransport, tls::ServerTransport> socket_;  // empty once closed
  net::Transport* transport_ = nullptr;                                             // into socket_
  http::OutputBudget budget_;
  Exchanges exchanges_;
  std::unique_ptr<http::Session> session_;  // destroyed before exchanges_
  OutputQueue output_;
  Preface preface_;
  Phase phase_;
  http::CloseReason close_reason_ = http::CloseReason::kClient;
  StopPhase stop_seen_ = StopPhase::kRunning;
  std::uint32_t interest_ = 0;
  bool input_ended_ = false;
  bool write_wanted_ = false;  // the handshake waits for room
  bool http2_ = false;
  const bool secure_;
  bool counted_idle_ = false;
  std::uint32_t counted_streams_ = 0;
  std::size_t counted_buffered_ = 0;
  std::size_t lingered_ = 0;
  TimePoint phase_deadline_ = kNever;  // handshake, preface, lingering
  TimePoint write_deadline_ = kNever;  // the transport takes nothing
  TimePoint rest_since_;               // the last turn with work in it; for --park-after

  WakeSet events_;
  std::coroutine_handle<> waiting_;
};

}  // namespace h2park::server
