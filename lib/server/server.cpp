#include "server/server.hpp"

#include "base/log.hpp"
#include "base/units.hpp"
#include "handlers/access_log.hpp"
#include "handlers/routes.hpp"
#include "net/activation.hpp"
#include "net/listen_socket.hpp"
#include "net/service_manager.hpp"
#include "server/descriptor_limit.hpp"
#include "server/worker_group.hpp"
#include "stats/socket_memory.hpp"
#include "tls/server_context.hpp"
#include "tls/slot_routing.hpp"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

namespace h2park::server {
namespace {

std::span<const std::string_view> close_reason_names() {
  static const auto names = [] {
    std::array<std::string_view, http::kCloseReasons> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = to_string(static_cast<http::CloseReason>(i));
    return all;
  }();
  return names;
}

class ServerImpl final : public Server {
 public:
  explicit ServerImpl(Options options) : options_(std::move(options)), signals_(control_), grace_(control_) {}

  Result<> prepare();

  std::vector<std::string> listening() const override { return workers_.addresses(); }
  std::string fingerprint() const override {
    return tls_ != nullptr && options_.tls.self_signed ? tls_->fingerprint() : "";
  }
  void run() override;
  void stop() override {
    boost::asio::post(control_, [this] { begin_stop(); });
  }
  bool stopping() const override { return stopping_.load(std::memory_order_relaxed); }
  stats::Snapshot snapshot() override;
  stats::Depths depths() override { return stopping() ? stats::Depths{} : workers_.depths(); }

 private:
  void prepare_tls_memory();
  Result<> prepare_tls();
  Result<> prepare_handler();
  Result<> prepare_listeners();
  Result<> listen_at(const net::Endpoint& endpoint, bool secure);
  Result<std::shared_ptr<tls::ServerContext>> load_certificate() const;
  void wait_for_signal();
  void on_signal(int signal);
  void begin_stop();
  void reload_certificate();
  static void tell_service_manager(net::ServiceState state);

  // constant after prepare()
  Options options_;
  std::shared_ptr<tls::TicketKeys> ticket_keys_;
  std::unique_ptr<handlers::AccessLog> access_log_;
  http::Handler handler_;
  const TimePoint started_ = Clock::now();
  // the thread of run() only
  boost::asio::io_context control_{1};
  boost::asio::signal_set signals_;
  boost::asio::steady_timer grace_;
  std::shared_ptr<tls::ServerContext> tls_;
  // any thread
  std::atomic<bool> stopping_{false};
  WorkerGroup workers_;
};

Result<> ServerImpl::prepare() {
  std::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit();
  if (options_.max_connections == 0) options_.max_connections = connections_by_descriptors();
  prepare_tls_memory();
  if (auto done = prepare_tls(); !done) return done;
  if (auto done = prepare_handler(); !done) return done;
  if (auto done = workers_.prepare(options_, handler_, tls_); !done) return done;
  return prepare_listeners();
}

// Nothing before this uses OpenSSL: options are parsed without it, and no library that we link makes use of
// it while it is loaded. Without freezing OpenSSL keeps its own functions.
void ServerImpl::prepare_tls_memory() {
  if (options_.tls_listen.empty() || !options_.parking.freeze_after) return;
  if (!tls::route_allocations()) {
    log::warn(
        "TLS connections are parked, but not frozen: OpenSSL was used before its memory could be routed");
  }
}

Result<> ServerImpl::prepare_tls() {
  if (options_.tls_listen.empty()) return {};
  ticket_keys_ = std::make_shared<tls::TicketKeys>();
  auto context = load_certificate();
  if (!context) return std::unexpected(context.error());
  tls_ = std::move(*context);
  return {};
}

Result<std::shared_ptr<tls::ServerContext>> ServerImpl::load_certificate() const {
  const TlsOptions& files = options_.tls;
  return files.self_signed ? tls::ServerContext::self_signed(ticket_keys_)
                           : tls::ServerContext::from_files(files.certificate, files.key, ticket_keys_);
}

Result<> ServerImpl::prepare_handler() {
  if (options_.access_log.format != handlers::AccessLogFormat::kOff) {
    auto log = handlers::AccessLog::open(options_.access_log);
    if (!log) return std::unexpected(log.error());
    access_log_ = std::move(*log);
  }
  auto handler = handlers::make_handler(options_.handlers, access_log_.get());
  if (!handler) return std::unexpected(handler.error());
  handler_ = std::move(*handler);
  return {};
}

// Sockets that the service manager opened replace --listen and --tls-listen; those named "tls" speak TLS.
Result<> ServerImpl::prepare_listeners() {
  auto activated = net::take_activated_sockets();
  if (!activated) return std::unexpected(activated.error());
  for (auto& given : *activated) {
    const bool secure = given.name == "tls";
    if (secure && tls_ == nullptr) return fail("socket activation: a socket named 'tls' needs --tls-listen");
    workers_.listen_alone(std::move(given.socket), secure);
  }
  if (!activated->empty()) return {};
  for (const auto& endpoint : options_.listen) {
    if (auto done = listen_at(endpoint, false); !done) return done;
  }
  for (const auto& endpoint : options_.tls_listen) {
    if (auto done = listen_at(endpoint, true); !done) return done;
  }
  return {};
}

Result<> ServerImpl::listen_at(const net::Endpoint& endpoint, bool secure) {
  auto sockets = net::listen_on(endpoint, options_.threads);
  if (!sockets) return std::unexpected(sockets.error());
  for (auto& socket : *sockets) {
    if (socket.is_unix()) {
      workers_.listen_alone(std::move(socket), secure);
    } else {
      workers_.listen_shared(std::move(socket), secure);
    }
  }
  return {};
}

void ServerImpl::run() {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) signals_.add(signal);
  wait_for_signal();
  workers_.start();
  tell_service_manager(net::ServiceState::kReady);
  // The threads end by themselves after begin_stop(); this one goes on listening to signals meanwhile.
  auto work = boost::asio::make_work_guard(control_);
  std::thread waiter([this] {
    workers_.join();
    control_.stop();
  });
  control_.run();
  waiter.join();
}

void ServerImpl::tell_service_manager(net::ServiceState state) {
  if (auto told = net::notify_service_manager(state); !told) log::warn(told.error().message);
}

void ServerImpl::wait_for_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    on_signal(signal);
    wait_for_signal();
  });
}

void ServerImpl::on_signal(int signal) {
  switch (signal) {
    case SIGHUP:
      reload_certificate();
      break;
    case SIGUSR1:
      if (access_log_ != nullptr) access_log_->reopen();
      break;
    default:
      if (stopping()) _exit(128 + signal);
      begin_stop();
  }
}

void ServerImpl::begin_stop() {
  if (stopping_.exchange(true)) return;
  log::info("stopping: streams may finish for up to " + format_duration(options_.timeouts.grace));
  tell_service_manager(net::ServiceState::kStopping);
  workers_.stop_gracefully();
  grace_.expires_after(options_.timeouts.grace);
  grace_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) workers_.for_each([](WorkerThread& worker) { worker.stop(StopPhase::kCancel); });
  });
}

void ServerImpl::reload_certificate() {
  if (tls_ == nullptr || options_.tls.self_signed || stopping()) return;
  tell_service_manager(net::ServiceState::kReloading);
  if (auto context = load_certificate()) {
    workers_.rehearse(**context);
    tls_ = std::move(*context);
    workers_.for_each([fresh = tls_](WorkerThread& worker) { worker.replace_tls(fresh); });
    log::info("certificate reloaded from " + options_.tls.certificate);
  } else {
    log::error("the certificate stays as it is: " + context.error().message);
  }
  tell_service_manager(net::ServiceState::kReady);
}

stats::Snapshot ServerImpl::snapshot() {
  if (!stopping()) workers_.sample_memory();
  stats::Facts facts;
  facts.version = H2PARK_VERSION;
  facts.pid = static_cast<std::uint64_t>(getpid());
  facts.started = started_;
  facts.parking = options_.parking.enabled;
  if (workers_.has_slots()) {
    facts.slot_ticket_bytes = sizeof(Ticket);
    facts.slot_overflows = freezer::SlotHeap::overflowed_blocks() + tls::allocations_overflowed();
  }
  if (access_log_ != nullptr) facts.log_dropped = access_log_->dropped();
  if (options_.parking.enabled) facts.freeze_after = options_.parking.freeze_after;
  facts.threads = options_.threads;
  facts.close_reasons = close_reason_names();
  facts.sockets_sampled = stats::can_measure_sockets();
  return stats::collect(workers_.counters(), facts, Clock::now());
}

}  // namespace

Result<std::unique_ptr<Server>> Server::open(Options options) {
  auto server = std::make_unique<ServerImpl>(std::move(options));
  if (auto done = server->prepare(); !done) return std::unexpected(done.error());
  return server;
}

}  // namespace h2park::server
