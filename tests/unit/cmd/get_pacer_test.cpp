#include "cmd/get_pacer.hpp"

#include "cmd/get_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart = TimePoint{} + 1h;

TEST(Pacer, GivesEachRequestOnce) {
  const GetPace pace{.requests = 3};
  Pacer pacer(pace, kStart);
  for (std::uint64_t number = 0; number < 3; ++number) {
    const auto slot = pacer.next(kStart + 1s);
    ASSERT_TRUE(slot);
    EXPECT_EQ(slot->number, number);
    EXPECT_EQ(slot->due, kStart + 1s);
  }
  EXPECT_FALSE(pacer.next(kStart + 1s));
}

TEST(Pacer, KeepsToItsScheduleHoweverLateItIsAsked) {
  const GetPace pace{.requests = 100, .interval = 10ms};
  Pacer pacer(pace, kStart);
  EXPECT_EQ(pacer.next(kStart)->due, kStart);
  EXPECT_EQ(pacer.next(kStart)->due, kStart + 10ms);
  EXPECT_EQ(pacer.next(kStart + 1s)->due, kStart + 20ms);
}

TEST(Pacer, EndsWithTheDuration) {
  const GetPace pace{.requests = 100, .duration = 25ms, .interval = 10ms};
  Pacer pacer(pace, kStart);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pacer.next(kStart)) << i;
  EXPECT_FALSE(pacer.next(kStart)) << "due after 30 ms";
  const GetPace unpaced{.requests = 100, .duration = 25ms};
  Pacer other(unpaced, kStart);
  EXPECT_TRUE(other.next(kStart + 24ms));
  EXPECT_FALSE(other.next(kStart + 25ms));
}

TEST(Pacer, ThinksNoLongerThanTheRunTakes) {
  const GetPace pace{.requests = 100, .duration = 1s, .think = 1h};
  EXPECT_EQ(Pacer(pace, kStart).after_think(kStart), kStart + 1s);
  EXPECT_EQ(Pacer(pace, kStart).after_think(kStart + 2s), kStart + 2s);
}

/// What an Output has passed on so far.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_.data(), O_NONBLOCK | O_CLOEXEC), 0); }
  ~Pipe() {
    close_reader();
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writer() const { return ends_[1]; }
  void close_reader() { ::close(std::exchange(ends_[0], -1)); }
  std::size_t arrived() const {
    std::array<char, 4096> buffer;
    const ssize_t bytes = ::read(ends_[0], buffer.data(), buffer.size());
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(Output, CollectsLinesThatComeFast) {
  const Pipe pipe;
  Output output(pipe.writer());
  output.write("one\n");
  output.settle(kStart);
  EXPECT_EQ(pipe.arrived(), 4U);
  output.write("two\n");
  output.settle(kStart + Output::kLongestWait - 1ns);
  EXPECT_EQ(pipe.arrived(), 0U);
  output.write("three\n");
  output.settle(kStart + Output::kLongestWait);
  EXPECT_EQ(pipe.arrived(), 10U);
}

TEST(Output, PassesBlocksOn) {
  const Pipe pipe;
  Output output(pipe.writer());
  output.write("x");
  output.write(std::string(Output::kBlock - 1, 'y'));
  EXPECT_GT(pipe.arrived(), 0U);
}

TEST(Output, KeepsItsFirstError) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.close_reader();
  Output output(pipe.writer());
  output.write("x");
  EXPECT_EQ(output.error(), 0);
  output.flush();
  EXPECT_EQ(output.error(), EPIPE);
}

}  // namespace
}  // namespace h2park::cmd
