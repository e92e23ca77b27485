// MemorySample: what a worker's connections have in the kernel and in their slots, a slice at a time.
//
// 1. A socket's queued bytes cost a system call (stats/socket_memory.hpp), 5,000 of them some milliseconds.
//    So a step measures some, and the worker has a turn before the next one.
// 2. A connection that had nothing queued has nothing queued until it is woken: we send nothing meanwhile,
//    and what its client sends wakes it. It is marked as quiet and not asked again. So a fleet that idles is
//    measured without a system call, parked or not.
// 3. A slot's resident pages are those up to the highest block that ever was. A frozen one has none.
#pragma once

#include "server/tickets.hpp"
#include "stats/counters.hpp"

#include <cstdint>

namespace h2park::server {

class Freezing;

/// Thread: the worker's. Lifetime: the references outlive it.
class MemorySample {
 public:
  MemorySample(Tickets& tickets, const Freezing& freezing, stats::ThreadCounters& counters)
      : tickets_(tickets), freezing_(freezing), counters_(counters) {}

  /// Measures the next slice. True: it was the last one, and the counters have the sums; the next step begins
  /// anew.
  bool step();

  /// What one step does at most: a tenth of a millisecond, or so.
  static constexpr int kMostSockets = 256;
  static constexpr std::uint32_t kMostTickets = 8192;

 private:
  struct Sums {
    std::uint64_t queued = 0;
    std::uint64_t resident = 0;
    std::uint64_t dormant = 0;
  };

  /// False: it is quiet, no system call was made.
  bool add_socket(std::uint32_t index, Ticket& ticket);
  void add_pages(const Ticket& ticket);
  bool hears_its_client(std::uint32_t index, const Ticket& ticket) const;

  Tickets& tickets_;
  const Freezing& freezing_;
  stats::ThreadCounters& counters_;
  Sums sums_;
  std::uint32_t next_ = 0;  // the ticket with which the next slice begins
};

}  // namespace h2park::server
