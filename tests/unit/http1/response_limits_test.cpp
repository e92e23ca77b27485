// Bounds on what a server can make a client keep or look at. Each limit: what just fits passes, one more does
// not.
#include "http1/response_reader.hpp"
#include "response_reading.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

namespace h2park::test {
namespace {

using enum ResponseFault;

constexpr std::string_view kStatusLine200 = "HTTP/1.1 200 OK\r\n";
const std::string kChunkedHead = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

std::string times(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

// A head of exactly `bytes`.
std::string head_of(std::size_t bytes) {
  const std::string rest = "content-length: 0\r\na: \r\n\r\n";
  return std::string(kStatusLine200) +
         "content-length: 0\r\na: " + std::string(bytes - kStatusLine200.size() - rest.size(), 'x') +
         "\r\n\r\n";
}

TEST(ResponseLimits, BoundTheHead) {
  const ResponseLimits limits{.head_bytes = 200};
  EXPECT_EQ(read_in_every_way({}, head_of(200), false, limits).fault, kNone);
  EXPECT_EQ(read_in_every_way({}, head_of(201), false, limits).fault, kHeadTooLarge);
}

TEST(ResponseLimits, BoundAHeadOfAQuarterMebibyteByDefault) {
  EXPECT_EQ(read_response({}, head_of(256 * 1024)).fault, kNone);
  EXPECT_EQ(read_response({}, head_of(256 * 1024 + 1)).fault, kHeadTooLarge);
}

TEST(ResponseLimits, BoundLinesWithoutEnd) {
  const ResponseLimits limits{.head_bytes = 200};
  const std::string reason = "HTTP/1.1 200 " + std::string(188, 'x');
  EXPECT_EQ(read_in_every_way({}, reason, false, limits).fault, kHeadTooLarge);
  EXPECT_EQ(read_in_every_way({}, head_of(300).substr(0, 201), false, limits).fault, kHeadTooLarge);
  EXPECT_EQ(read_in_every_way({}, head_of(300).substr(0, 200), false, limits).fault, kNone);
}

TEST(ResponseLimits, BoundEach1xxHeadAndTheirNumber) {
  const ResponseLimits limits{.head_bytes = 60, .informational = 3};
  const std::string early = "HTTP/1.1 103 Early\r\nlink: aaaaaaaaaaaaaaaaaaaaaa\r\n\r\n";
  const std::string final = "HTTP/1.1 204 N\r\n\r\n";
  EXPECT_EQ(read_in_every_way({}, times(3, early) + final, false, limits).state, State::kComplete);
  const Reading endless = read_in_every_way({}, times(4, early) + final, false, limits);
  EXPECT_EQ(endless.fault, kInformational);
  EXPECT_EQ(endless.events.size(),
            times(3, "informational HTTP/1.1 103 Early\n  link=aaaaaaaaaaaaaaaaaaaaaa|\n").size());
  EXPECT_EQ(
      read_in_every_way({}, "HTTP/1.1 103 E\r\nlink: " + std::string(40, 'a') + "\r\n\r\n", false, limits)
          .fault,
      kHeadTooLarge);
}

TEST(ResponseLimits, StopEndless1xxByDefault) {
  const std::string early = "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(read_response({}, times(100, early)).fault, kNone);
  EXPECT_EQ(read_response({}, times(101, early)).fault, kInformational);
}

TEST(ResponseLimits, BoundTheNumberOfFields) {
  const ResponseLimits limits{.fields = 5};
  const std::string head(kStatusLine200);
  EXPECT_EQ(read_in_every_way({}, head + times(5, "a: b\r\n") + "\r\n", false, limits).fault, kNone);
  EXPECT_EQ(read_in_every_way({}, head + times(5, "a: b\r\n c\r\n") + "\r\n", false, limits).fault, kNone);
  EXPECT_EQ(read_in_every_way({}, head + times(6, "a: b\r\n") + "\r\n", false, limits).fault, kHeadTooLarge);
  EXPECT_EQ(read_response({}, head + times(1000, "a:\r\n") + "\r\n").fault, kNone);
  EXPECT_EQ(read_response({}, head + times(1001, "a:\r\n") + "\r\n").fault, kHeadTooLarge);
}

TEST(ResponseLimits, BoundTrailers) {
  const ResponseLimits limits{.fields = 5, .trailer_bytes = 40};
  const auto with = [](std::string_view trailers) {
    return kChunkedHead + "0\r\n" + std::string(trailers) + "\r\n";
  };
  EXPECT_EQ(read_in_every_way({}, with(times(5, "a: b\r\n")), false, limits).state, State::kComplete);
  EXPECT_EQ(read_in_every_way({}, with(times(6, "a: b\r\n")), false, limits).fault, kHeadTooLarge);
  const std::string fits = "a: " + std::string(33, 'x') + "\r\n";
  EXPECT_EQ(read_in_every_way({}, with(fits), false, limits).state, State::kComplete);
  EXPECT_EQ(read_in_every_way({}, with("a" + fits), false, limits).fault, kHeadTooLarge);
  EXPECT_EQ(read_response({}, with("a: " + std::string(70'000, 'x'))).fault, kHeadTooLarge);
}

TEST(ResponseLimits, BoundTheTrailersOfEachResponse) {
  ResponseReader reader({.trailer_bytes = 40});
  const std::string input = kChunkedHead + "0\r\na: " + std::string(25, 'x') + "\r\n\r\n";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(read_response(reader, {}, input, {}).state, State::kComplete);
}

TEST(ResponseLimits, BoundChunkLines) {
  const auto with_extension = [](std::size_t bytes) {
    return kChunkedHead + "1;" + std::string(bytes, 'a') + "\r\nx\r\n0\r\n\r\n";
  };
  EXPECT_EQ(read_response({}, with_extension(4000)).state, State::kComplete);
  EXPECT_EQ(read_response({}, with_extension(4100)).fault, kChunk);
  EXPECT_EQ(read_response({}, kChunkedHead + std::string(4097, '1')).fault, kChunk) << "a line without end";
}

TEST(ResponseLimits, BoundWhatChunkLinesMayOutweighTheirData) {
  const std::string chunk = "1;" + std::string(1000, 'a') + "\r\nx\r\n";
  EXPECT_EQ(read_response({}, kChunkedHead + times(10, chunk)).fault, kNone);
  EXPECT_EQ(read_response({}, kChunkedHead + times(20, chunk)).fault, kChunk);
  // Long lines are no abuse where there is as much data, nor are small chunks as such.
  const std::string paid = "3e8;" + std::string(1000, 'a') + "\r\n" + std::string(1000, 'x') + "\r\n";
  EXPECT_EQ(read_response({}, kChunkedHead + times(100, paid) + "0\r\n\r\n").state, State::kComplete);
  const Reading tiny = read_response({}, kChunkedHead + times(100'000, "1\r\nx\r\n") + "0\r\n\r\n");
  EXPECT_EQ(tiny.body.size(), 100'000u);
  EXPECT_EQ(tiny.state, State::kComplete);
}

std::chrono::nanoseconds cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// However slowly a response trickles, its cost is that of its bytes, not of their square: each of these takes
// a fraction of a second of CPU time, where looking at all of it again for every byte takes 7 s even with
// memchr.
TEST(ResponseLimits, LookAtEveryByteOnce) {
  constexpr std::size_t kBytes = 512 * 1024;
  const ResponseLimits limits{.head_bytes = 2 * kBytes, .fields = kBytes, .trailer_bytes = 2 * kBytes};
  const std::string inputs[] = {
      head_of(kBytes),
      std::string(kStatusLine200) + times(kBytes / 20, "a: xxxxxxxxxxxxxxx\r\n"),
      std::string(kStatusLine200) + "a: b\r\n" + times(kBytes / 5, " \t \r\n"),
      kChunkedHead + times(kBytes / 6, "1\r\nx\r\n"),
      kChunkedHead + "0\r\n" + times(kBytes / 20, "a: xxxxxxxxxxxxxxx\r\n"),
      kChunkedHead + "0\r\na: " + std::string(kBytes, 'x'),
  };
  for (const std::string& input : inputs) {
    const auto start = cpu_time();
    ResponseReader reader(limits);
    ResponseRecorder recorder;
    reader.begin({});
    for (std::size_t i = 0; i < input.size(); ++i) {
      ASSERT_EQ(reader.take({&input[i], 1}, kAllRoom, recorder), 1u) << to_string(reader.fault());
      if (i % 1024 == 0) {
        ASSERT_LT(cpu_time() - start, std::chrono::seconds(5)) << "after " << i << " bytes";
      }
    }
  }
}

}  // namespace
}  // namespace h2park::test
