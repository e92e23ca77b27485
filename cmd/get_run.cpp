#include "cmd/get_run.hpp"

#include "cmd/get_worker.hpp"

#include <algorithm>

namespace h2park::cmd {

GetRun::GetRun(net::Reactor& reactor, const GetSettings& settings, Reports& reports, Fetch fetch,
               std::function<void()> on_end)
    : reactor_(reactor),
      settings_(settings),
      reports_(reports),
      fetch_(std::move(fetch)),
      transfers_{settings, reports.standard_output(), reports.wants_fields(),
                 [&reports](std::string_view text) { reports.say(text); }},
      stop_(reactor.timers(), [this] { stop(); }),
      end_(reactor.timers(), std::move(on_end)) {}

GetRun::~GetRun() = default;

void GetRun::start() {
  last_end_ = pacer_.emplace(settings_.pace, now()).start();
  const std::uint64_t wanted = std::min<std::uint64_t>(settings_.pace.concurrency, settings_.pace.requests);
  for (std::uint64_t i = 0; i < wanted; ++i) workers_.push_back(std::make_unique<Worker>(*this));
  if (pacer_->end() != kNever) stop_.set(pacer_->end() + kGrace);
  working_ = workers_.size();
  // By index: a worker that cannot begin ends here.
  for (const auto& worker : workers_) worker->start();
}

void GetRun::stop() {
  for (const auto& worker : workers_) worker->cancel();
}

void GetRun::worker_ended() {
  if (--working_ > 0) return;
  stop_.clear();
  end_.set(now());
}

std::exception_ptr GetRun::exception() const {
  for (const auto& worker : workers_) {
    if (worker->exception()) return worker->exception();
  }
  return nullptr;
}

void GetRun::settled(const Pending& pending, const client::Record& record) {
  const GetTarget& target = settings_.targets[pending.target];
  last_end_ = std::max(last_end_, record.timings.end);
  const Outcome outcome{.record = record,
                        .written = target.written,
                        .file = target.place.file,
                        .url_number = pending.target,
                        .due = pending.due,
                        .referer = settings_.referer,
                        .fields = pending.fields ? &*pending.fields : nullptr,
                        .fault = fault_of(record, settings_.fail, pending.fault)};
  reports_.settled(outcome, pending.number, now());
  // Nobody reads what we write: there is no point in going on.
  if (reports_.standard_output().error() != 0) stop_.set(now());
}

}  // namespace h2park::cmd
