#include "client/client.hpp"

#include "client/exchange.hpp"
#include "client/pool.hpp"
#include "client/redirect.hpp"
#include "client/request_head.hpp"
#include "client/retry.hpp"

#include <spdlog/fmt/fmt.h>

#include <coroutine>
#include <utility>

namespace h2park::client {
namespace {

/// A request's record until its last drain has ended.
struct Settling {
  explicit Settling(Client::OnSettled on_settled) : tell(std::move(on_settled)) {}

  Record record;
  const Client::OnSettled tell;
  unsigned exchange = 0;  // the one under way, or the last
  bool answered = false;  // the fetch is over
  bool drained = false;   // the last exchange's body

  void tell_if_over() const {
    if (answered && drained && tell) tell(record);
  }
};

/// co_await: a point in time.
class Sleep {
 public:
  Sleep(net::Reactor& reactor, TimePoint until)
      : timer_(reactor.timers(), [this] { std::exchange(waiting_, {}).resume(); }), until_(until) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    timer_.set(until_);
  }
  void await_resume() const noexcept {}

 private:
  net::Timer timer_;
  const TimePoint until_;
  std::coroutine_handle<> waiting_;
};

/// co_await: nothing is being drained.
class Drained {
 public:
  explicit Drained(Pool& pool) : pool_(pool) {}
  ~Drained() {
    if (*waiting_) pool_.when_drained({});
  }
  bool await_ready() const { return pool_.counts().draining == 0; }
  void await_suspend(std::coroutine_handle<> waiting) {
    *waiting_ = waiting;
    pool_.when_drained([waiting = waiting_] {
      if (*waiting) std::exchange(*waiting, {}).resume();
    });
  }
  void await_resume() const noexcept {}

 private:
  Pool& pool_;
  std::shared_ptr<std::coroutine_handle<>> waiting_ = std::make_shared<std::coroutine_handle<>>();
};

}  // namespace

class Client::Impl {
 public:
  Impl(net::Reactor& reactor_in, Dialer& dialer, const Options& options_in)
      : reactor(reactor_in), options(options_in), pool(reactor, dialer, options) {}

  Task<> fetch(Request request, ResponseListener& listener, OnSettled on_settled);
  Task<> finish();

  TimePoint now() const { return reactor.time().now(); }
  bool follow(Request& request, const Exchange& exchange, Record& record) const;
  Exchange::OnDrained note_drain(const std::shared_ptr<Settling>& settling);

  net::Reactor& reactor;
  const Options options;
  Pool pool;
  /// Of all exchanges. Apart, because a drain may end after its client's own objects began to go.
  std::shared_ptr<std::array<std::uint64_t, kDrainResults>> drains =
      std::make_shared<std::array<std::uint64_t, kDrainResults>>();
};

// For one exchange: only the last one's drain is the request's.
Exchange::OnDrained Client::Impl::note_drain(const std::shared_ptr<Settling>& settling) {
  settling->drained = false;
  return [settling, exchange = ++settling->exchange, counts = drains](const DrainFacts& facts) {
    ++(*counts)[static_cast<std::size_t>(facts.result)];
    if (exchange != settling->exchange) return;
    settling->record.drain = facts;
    settling->drained = true;
    settling->tell_if_over();
  };
}

bool Client::Impl::follow(Request& request, const Exchange& exchange, Record& record) const {
  if (record.redirects >= options.max_redirects) {
    record.failure = Failure{FailureKind::kRedirects,
                             fmt::format("Maximum ({}) redirects followed", options.max_redirects)};
    return false;
  }
  Result<Request> next = redirected(request, record.status, *exchange.location(), options.trust_redirects);
  if (!next) {
    record.failure = Failure{FailureKind::kBadUrl, "Redirect to a bad URL: " + next.error().message};
    return false;
  }
  ++record.redirects;
  record.redirect_time = now() - record.timings.start;
  request = std::move(*next);
  return true;
}

Task<> Client::Impl::fetch(Request request, ResponseListener& listener, OnSettled on_settled) {
  const auto settling = std::make_shared<Settling>(std::move(on_settled));
  Record& record = settling->record;
  const TimePoint start = record.timings.start = now();
  const TimePoint deadline = options.total_timeout < kNever - start ? start + options.total_timeout : kNever;
  const ExchangeContext context{reactor, pool, options, listener, deadline, options.follow_redirects};
  for (;;) {
    Exchange exchange(context, request, record);
    co_await exchange.run(note_drain(settling));
    if (!record.failure && exchange.refuses_expect()) {
      drop_expect(request);
      continue;
    }
    if (!record.failure && exchange.location()) {
      if (follow(request, exchange, record)) continue;
      break;
    }
    if (record.retries >= options.retry.attempts || !is_transient(record)) break;
    const Duration delay =
        retry_delay(options.retry, record.retries + 1, exchange.retry_after(), reactor.time().wall());
    if (deadline != kNever && delay >= deadline - now()) break;
    ++record.retries;
    if (listener.wants_notes()) {
      const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(delay).count();
      listener.on_note(fmt::format("Transient problem, retry {} in {} ms", record.retries, ms));
    }
    co_await Sleep(reactor, now() + delay);
  }
  settling->answered = true;
  settling->tell_if_over();
}

Task<> Client::Impl::finish() {
  co_await Drained(pool);
  pool.close_all();
}

Client::Client(net::Reactor& reactor, Dialer& dialer, const Options& options)
    : impl_(std::make_unique<Impl>(reactor, dialer, options)) {}

Client::~Client() = default;

Task<> Client::fetch(Request request, ResponseListener& listener, OnSettled on_settled) {
  return impl_->fetch(std::move(request), listener, std::move(on_settled));
}

Task<> Client::finish() { return impl_->finish(); }

void Client::cut_drains() { impl_->pool.cut_drains(); }

ClientCounts Client::counts() const {
  ClientCounts counts = impl_->pool.counts();
  counts.drains = *impl_->drains;
  counts.drains[static_cast<std::size_t>(DrainResult::kNone)] = 0;
  return counts;
}

}  // namespace h2park::client
