// Routes that take their time: /delay/{ms}, /drip, /events, /wait.
//
// They are what idle connections are made of, so what a suspended one owns is its frame alone: parameters are
// parsed by a plain function that is gone before the waiting begins.

#include "handlers/route_answers.hpp"
#include "handlers/route_parameters.hpp"
#include "handlers/routes_builtin.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

namespace h2park::handlers {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kLongest = hours(24);
constexpr std::uint64_t kMaxCount = 1'000'000'000;
constexpr std::uint64_t kMaxPieceBytes = 1024 * 1024;

// One block of drops for the process.
constexpr std::size_t kDropBytes = 16 * 1024;
std::string_view drops() {
  static const auto block = [] {
    std::array<char, kDropBytes> text;
    text.fill('.');
    return text;
  }();
  return {block.data(), block.size()};
}

struct Pace {
  Duration interval;
  std::uint64_t count;  // 0: for ever
  bool is_last(std::uint64_t n) const { return n == count; }
};

long long milliseconds_since(TimePoint start, TimePoint now) {
  return std::chrono::duration_cast<milliseconds>(now - start).count();
}

Task<> delayed(http::Responder& response, Duration time) {
  const bool still_there = co_await response.sleep(time);
  if (!still_there) co_return;
  co_await response.send("text/plain; charset=utf-8", "done\n");
}

// A whole piece, however much larger than the block it is taken from. False: gone.
Task<bool> write_drops(http::Responder& response, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::string_view piece = drops().substr(0, std::min<std::uint64_t>(bytes, kDropBytes));
    const bool written = co_await response.write(piece);
    if (!written) co_return false;
    bytes -= piece.size();
  }
  co_return co_await response.flush();
}

Task<> dripping(http::Responder& response, std::uint64_t bytes, Pace pace) {
  response.fields().set("content-type", "text/plain; charset=utf-8");
  response.start();
  for (std::uint64_t n = 1; !response.exchange().bodiless(); ++n) {
    const bool written = co_await write_drops(response, bytes);
    if (!written) co_return;
    if (pace.is_last(n)) break;
    const bool still_there = co_await response.sleep(pace.interval);
    if (!still_there) co_return;
  }
  response.end();
}

// "id: 7\ndata: {"n":7,"time":"2026-01-03T10:00:00.123Z"}\n\n"
std::size_t print_event(std::array<char, 128>& text, std::uint64_t n,
                        std::chrono::system_clock::time_point now) {
  const auto whole = std::chrono::floor<seconds>(now);
  const std::time_t since_epoch = std::chrono::system_clock::to_time_t(whole);
  std::tm utc{};
  gmtime_r(&since_epoch, &utc);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
  const auto millis = static_cast<int>(std::chrono::duration_cast<milliseconds>(now - whole).count());
  const auto number = static_cast<unsigned long long>(n);
  return static_cast<std::size_t>(std::snprintf(text.data(), text.size(),
                                                "id: %llu\ndata: {\"n\":%llu,\"time\":\"%s.%03dZ\"}\n\n",
                                                number, number, stamp, millis));
}

Task<> sending_events(http::Responder& response, Pace pace) {
  response.fields().set("content-type", "text/event-stream");
  response.fields().set("cache-control", "no-store");
  response.start();
  for (std::uint64_t n = 1; !response.exchange().bodiless(); ++n) {
    std::array<char, 128> text;
    const std::size_t bytes = print_event(text, n, response.exchange().host().wall());
    const bool written = co_await response.write({text.data(), bytes});
    if (!written) co_return;
    if (pace.is_last(n)) break;
    const bool still_there = co_await response.sleep(pace.interval);
    if (!still_there) co_return;
  }
  response.end();
}

Task<> waiting(http::Responder& response, Duration time) {
  const http::ExchangeHost& host = response.exchange().host();
  const TimePoint start = host.now();
  const bool still_there = co_await response.sleep(time);
  if (!still_there) co_return;
  char text[64];
  const int bytes =
      std::snprintf(text, sizeof text, "{\"waited_ms\":%lld}\n", milliseconds_since(start, host.now()));
  response.fields().set("cache-control", "no-store");
  co_await response.send("application/json", {text, static_cast<std::size_t>(bytes)});
}

}  // namespace

Task<> handle_delay(http::Request& request, http::Responder& response) {
  const auto time = duration_parameter(request, From::kPath, "ms", Duration::zero(), kLongest);
  if (!time) return answer_line(response, 400, time.error().message);
  return delayed(response, *time);
}

Task<> handle_drip(http::Request& request, http::Responder& response) {
  const auto bytes = size_parameter(request, From::kQuery, "bytes", 1, kMaxPieceBytes, 1);
  if (!bytes) return answer_line(response, 400, bytes.error().message);
  const auto interval =
      duration_parameter(request, From::kQuery, "interval", Duration::zero(), kLongest, seconds(1));
  if (!interval) return answer_line(response, 400, interval.error().message);
  const auto count = count_parameter(request, From::kQuery, "count", 0, kMaxCount, 10);
  if (!count) return answer_line(response, 400, count.error().message);
  return dripping(response, *bytes, {*interval, *count});
}

Task<> handle_events(http::Request& request, http::Responder& response) {
  const auto interval =
      duration_parameter(request, From::kQuery, "interval", milliseconds(1), kLongest, seconds(1));
  if (!interval) return answer_line(response, 400, interval.error().message);
  const auto count = count_parameter(request, From::kQuery, "count", 0, kMaxCount, 0);
  if (!count) return answer_line(response, 400, count.error().message);
  return sending_events(response, {*interval, *count});
}

Task<> handle_wait(http::Request& request, http::Responder& response) {
  const auto time = duration_parameter(request, From::kQuery, "ms", Duration::zero(), kLongest, seconds(30));
  if (!time) return answer_line(response, 400, time.error().message);
  return waiting(response, *time);
}

}  // namespace h2park::handlers
