// Hand-made records for the tests of `get`'s reports.
#pragma once

#include "client/record.hpp"
#include "cmd/get_outcome.hpp"

#include <chrono>

namespace h2park::cmd::records {

inline constexpr TimePoint kStart = TimePoint{} + std::chrono::hours(1);

inline TimePoint at(std::chrono::microseconds since_start) { return kStart + since_start; }

/// A first request over a new plain connection: 1 ms of name service, 2 of TCP, 3 of sending, 4 of waiting, 5
/// of reading; 13 bytes.
inline client::Record fresh_record() {
  using namespace std::chrono_literals;
  client::Record record;
  record.url = "http://example.org/a";
  record.method = "GET";
  record.status = 200;
  record.body_bytes = 13;
  record.head_bytes = 100;
  record.request_bytes = 80;
  record.content_type = "text/plain";
  record.connects = 1;
  record.timings = {.start = kStart,
                    .begin = kStart,
                    .resolved = at(1ms),
                    .connected = at(3ms),
                    .secured = at(3ms),
                    .ready = at(3ms),
                    .sent = at(6ms),
                    .first_byte = at(10ms),
                    .end = at(15ms)};
  record.connection = {.id = 1,
                       .requests = 1,
                       .miss = {client::MissReason::Kind::kFirst, client::CloseReason::kNone},
                       .remote = "127.0.0.1:80",
                       .local = "127.0.0.1:40000"};
  record.drain.result = client::DrainResult::kComplete;
  return record;
}

/// A second one on the same connection, 7 ms later, whose body was drained: 2000 bytes in 1.5 ms.
inline client::Record reused_record() {
  using namespace std::chrono_literals;
  client::Record record = fresh_record();
  record.connects = 0;
  client::Timings& t = record.timings;
  t.start = t.begin = t.resolved = t.connected = t.secured = t.ready = at(22ms);
  t.sent = at(22'100us);
  t.first_byte = at(24ms);
  t.end = at(24ms);
  record.connection.reused = true;
  record.connection.idle = 7ms;
  record.connection.requests = 2;
  record.connection.miss = {};
  record.drain = {.result = client::DrainResult::kDrained, .bytes = 2000, .time = 1500us};
  return record;
}

/// Nobody listened.
inline client::Record failed_record() {
  using namespace std::chrono_literals;
  client::Record record;
  record.url = "http://example.org/a";
  record.method = "GET";
  record.timings = {.start = kStart,
                    .begin = kStart,
                    .resolved = at(1ms),
                    .connected = at(1ms),
                    .secured = at(1ms),
                    .ready = at(1ms),
                    .sent = at(1ms),
                    .first_byte = at(1ms),
                    .end = at(2ms)};
  record.failure = client::Failure{client::FailureKind::kConnect, "Failed to connect to example.org port 80"};
  return record;
}

inline Outcome outcome_of(const client::Record& record, bool fail_on_status = false) {
  return {.record = record,
          .written = "example.org/a",
          .due = record.timings.start,
          .fault = fault_of(record, fail_on_status, std::nullopt)};
}

}  // namespace h2park::cmd::records
