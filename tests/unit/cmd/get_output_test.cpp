#include "cmd/get_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart = TimePoint{} + 1h;

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
