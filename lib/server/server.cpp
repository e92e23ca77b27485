#include "server/server.hpp"

#include "base/log.hpp"
#include "net/activation.hpp"
#include "net/listen_socket.hpp"
#include "net/service_manager.hpp"
#include "server/access_log.hpp"
#include "server/routes.hpp"
#include "server/worker_thread.hpp"
#include "tls/server_context.hpp"

#include <spdlog/fmt/fmt.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <future>
#include <mutex>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

namespace h2park::server {
namespace {

// Descriptors that are not connections: listeners, logs, epoll sets, the stats endpoint.
constexpr std::size_t kReservedDescriptors = 64;

// A socket's memory is asked for with a system call per connection: not more often than somebody can read it.
constexpr auto kSampleEvery = std::chrono::seconds(1);
constexpr auto kSampleWait = std::chrono::milliseconds(100);

// Raises the soft limit as far as it goes and returns it.
std::size_t descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur;
}

std::size_t default_max_connections() {
  const std::size_t limit = std::min<std::size_t>(descriptor_limit(), 1U << 20);
  return limit > 2 * kReservedDescriptors ? limit - kReservedDescriptors : limit / 2;
}

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

  std::vector<std::string> listening() const override { return listening_; }
  std::string fingerprint() const override { return options_.tls.self_signed ? tls_->fingerprint() : ""; }
  void run() override;
  void stop() override {
    boost::asio::post(control_, [this] { begin_stop(); });
  }
  bool stopping() const override { return stopping_.load(std::memory_order_relaxed); }
  stats::Snapshot snapshot() override;

 private:
  Result<> prepare_tls();
  Result<> prepare_workers();
  Result<> prepare_listeners();
  Result<> listen_at(const net::Endpoint& endpoint, bool secure);
  void place(net::ListenSocket socket, bool secure);
  void deal(net::UniqueFd socket, bool secure);
  void wait_for_signal();
  void on_signal(int signal);
  void begin_stop();
  void reload_certificate();
  void for_each_worker(const std::function<void(WorkerThread&)>& work);
  void sample_sockets();

  Options options_;
  boost::asio::io_context control_{1};
  boost::asio::signal_set signals_;
  boost::asio::steady_timer grace_;
  std::shared_ptr<tls::TicketKeys> ticket_keys_;
  std::shared_ptr<tls::ServerContext> tls_;
  std::unique_ptr<AccessLog> access_log_;
  http::Handler handler_;
  ServerShare share_;
  std::vector<std::unique_ptr<WorkerThread>> workers_;
  std::vector<std::string> listening_;
  TimePoint started_ = Clock::now();
  std::size_t next_worker_ = 0;  // the first worker's thread: deals connections of shared listeners
  std::atomic<bool> stopping_{false};
  std::mutex sample_mutex_;
  TimePoint sampled_at_;  // guarded by sample_mutex_
};

Result<> ServerImpl::prepare() {
  std::signal(SIGPIPE, SIG_IGN);
  if (options_.max_connections == 0) {
    options_.max_connections = default_max_connections();
  } else {
    descriptor_limit();
  }
  if (auto done = prepare_tls(); !done) return done;
  if (options_.access_log.format != AccessLogFormat::kOff) {
    auto log = AccessLog::open(options_.access_log);
    if (!log) return std::unexpected(log.error());
    access_log_ = std::move(*log);
  }
  auto handler = make_handler(options_.handlers, access_log_.get());
  if (!handler) return std::unexpected(handler.error());
  handler_ = std::move(*handler);
  if (auto done = prepare_workers(); !done) return done;
  return prepare_listeners();
}

Result<> ServerImpl::prepare_tls() {
  if (options_.tls_listen.empty()) return {};
  ticket_keys_ = std::make_shared<tls::TicketKeys>();
  auto context = options_.tls.self_signed ? tls::ServerContext::self_signed(ticket_keys_)
                                          : tls::ServerContext::from_files(options_.tls.certificate,
                                                                           options_.tls.key, ticket_keys_);
  if (!context) return std::unexpected(context.error());
  tls_ = std::move(*context);
  return {};
}

Result<> ServerImpl::prepare_workers() {
  for (unsigned i = 0; i < options_.threads; ++i) {
    auto lot = Lot::open();
    if (!lot) return std::unexpected(lot.error());
    workers_.push_back(std::make_unique<WorkerThread>(options_, handler_, share_, std::move(*lot)));
    workers_.back()->set_tls(tls_);
  }
  return {};
}

Result<> ServerImpl::prepare_listeners() {
  auto activated = net::take_activated_sockets();
  if (!activated) return std::unexpected(activated.error());
  for (auto& given : *activated) place(std::move(given.socket), given.name == "tls" && tls_ != nullptr);
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
  for (auto& socket : *sockets) place(std::move(socket), secure);
  return {};
}

// TCP sockets that we opened: one per worker. Others: the first worker accepts and deals out.
void ServerImpl::place(net::ListenSocket socket, bool secure) {
  const std::string scheme = secure ? "https://" : "http://";
  const std::string text = socket.is_unix() ? socket.text() : scheme + socket.text();
  if (std::ranges::find(listening_, text) == listening_.end()) listening_.push_back(text);
  const unsigned share = socket.share();
  WorkerThread& worker = *workers_[share];
  const bool own = share != 0 || (!socket.is_unix() && options_.threads == 1);
  if (own) {
    worker.listen(std::move(socket),
                  [&worker, secure](net::UniqueFd fd) { worker.adopt(std::move(fd), secure); });
  } else {
    worker.listen(std::move(socket), [this, secure](net::UniqueFd fd) { deal(std::move(fd), secure); });
  }
}

// Thread: the first worker's.
void ServerImpl::deal(net::UniqueFd socket, bool secure) {
  WorkerThread& worker = *workers_[next_worker_++ % workers_.size()];
  if (&worker == workers_.front().get()) {
    worker.adopt(std::move(socket), secure);
    return;
  }
  auto held = std::make_shared<net::UniqueFd>(std::move(socket));  // std::function wants copies
  worker.post([&worker, held, secure] { worker.adopt(std::move(*held), secure); });
}

void ServerImpl::run() {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) signals_.add(signal);
  wait_for_signal();
  for (auto& worker : workers_) worker->start();
  if (auto told = net::notify_service_manager(net::ServiceState::kReady); !told)
    log::warn(told.error().message);
  // Ends when every worker thread has: see begin_stop().
  auto work = boost::asio::make_work_guard(control_);
  std::thread waiter([this] {
    for (auto& worker : workers_) worker->join();
    control_.stop();
  });
  control_.run();
  waiter.join();
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
  log::info(fmt::format("stopping: streams may finish for up to {} s",
                        std::chrono::duration<double>(options_.timeouts.grace).count()));
  if (auto told = net::notify_service_manager(net::ServiceState::kStopping); !told) {
    log::warn(told.error().message);
  }
  for_each_worker([](WorkerThread& worker) { worker.stop(StopPhase::kGraceful); });
  grace_.expires_after(options_.timeouts.grace);
  grace_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) for_each_worker([](WorkerThread& worker) { worker.stop(StopPhase::kCancel); });
  });
}

void ServerImpl::for_each_worker(const std::function<void(WorkerThread&)>& work) {
  for (auto& worker : workers_) worker->post([work, &thread = *worker] { work(thread); });
}

void ServerImpl::reload_certificate() {
  if (tls_ == nullptr || options_.tls.self_signed) return;
  auto context = tls::ServerContext::from_files(options_.tls.certificate, options_.tls.key, ticket_keys_);
  if (!context) {
    log::error(fmt::format("the certificate stays as it is: {}", context.error().message));
    return;
  }
  tls_ = std::move(*context);
  for_each_worker([fresh = tls_](WorkerThread& worker) { worker.replace_tls(fresh); });
  log::info(fmt::format("certificate reloaded from {}", options_.tls.certificate));
}

void ServerImpl::sample_sockets() {
  const std::lock_guard lock(sample_mutex_);
  const TimePoint now = Clock::now();
  if (stopping() || now - sampled_at_ < kSampleEvery) return;
  sampled_at_ = now;
  std::vector<std::future<void>> done;
  for (auto& worker : workers_) {
    auto sampled = std::make_shared<std::promise<void>>();
    done.push_back(sampled->get_future());
    worker->post([sampled, &thread = *worker] {
      thread.worker().sample_socket_memory();
      sampled->set_value();
    });
  }
  for (auto& one : done) one.wait_until(now + kSampleWait);
}

stats::Snapshot ServerImpl::snapshot() {
  sample_sockets();
  std::vector<const stats::ThreadCounters*> counters;
  for (auto& worker : workers_) counters.push_back(&worker->worker().counters());
  stats::Facts facts;
  facts.version = H2PARK_VERSION;
  facts.pid = static_cast<std::uint64_t>(getpid());
  facts.started = started_;
  facts.parking = options_.parking.enabled;
  facts.threads = options_.threads;
  facts.close_reasons = close_reason_names();
  facts.sockets_sampled = true;
  return stats::collect(counters, facts, Clock::now());
}

}  // namespace

Result<std::unique_ptr<Server>> Server::open(Options options) {
  auto server = std::make_unique<ServerImpl>(std::move(options));
  if (auto done = server->prepare(); !done) return std::unexpected(done.error());
  return server;
}

}  // namespace h2park::server
