// Summary: what all requests of a run were like, in constant memory.
#pragma once

#include "client/counts.hpp"
#include "cmd/get_outcome.hpp"
#include "stats/histogram.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace h2park::cmd {

class Summary {
 public:
  /// A request that ended, with or without a response.
  void add(const Outcome& outcome);
  /// `count` requests that were given up at the end of the run: neither answered nor failed.
  void add_cancelled(std::uint64_t count) { cancelled_ += count; }

  std::uint64_t requests() const { return requests_; }
  std::uint64_t failures() const;
  std::uint64_t cancelled() const { return cancelled_; }
  std::uint64_t bytes() const { return bytes_; }
  /// By cause, without those that were given up.
  const std::map<std::string, std::uint64_t, std::less<>>& errors() const { return errors_; }
  /// [2]: 2xx, and so on; [0]: no response.
  const std::array<std::uint64_t, 6>& statuses() const { return statuses_; }
  const stats::Histogram& phase(Phase phase) const { return phases_[static_cast<std::size_t>(phase)]; }
  /// From when a request was due to its end.
  const stats::Histogram& latency() const { return latency_; }

 private:
  std::uint64_t requests_ = 0;
  std::uint64_t cancelled_ = 0;
  std::uint64_t bytes_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> errors_;
  std::array<std::uint64_t, 6> statuses_{};
  std::array<stats::Histogram, kPhases> phases_;
  stats::Histogram latency_;
};

/// What a summary says besides.
struct SummaryContext {
  client::ClientCounts counts;  ///< after finish()
  Duration duration{};          ///< from the first request's start to the last one's end
  bool paced = false;           ///< --rate: latency is not total
};

/// {"summary":{...}} and a line feed.
std::string summary_json(const Summary& summary, const SummaryContext& context);
/// Tables and a histogram, with a line feed at the end.
std::string summary_text(const Summary& summary, const SummaryContext& context);

/// "1.23 ms", "45.0 us", "2.00 s": three digits that count.
std::string short_duration(Duration duration);
/// "12.3 MiB".
std::string short_size(std::uint64_t bytes);

}  // namespace h2park::cmd
