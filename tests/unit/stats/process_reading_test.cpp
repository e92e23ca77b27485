#include "stats/process_reading.hpp"

#include "stats/process_figures.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

namespace h2park::stats {
namespace {

std::uint64_t self() { return static_cast<std::uint64_t>(::getpid()); }

Reading read_self() {
  auto reading = read_process(self());
  EXPECT_TRUE(reading) << reading.error().message;
  return reading.value_or(Reading{});
}

TEST(ProcessReading, HasAllItsFieldsInTheirOrder) {
  const Reading reading = read_self();
  ASSERT_EQ(reading.entries.size() + 1, process_fields().size());
  for (std::size_t i = 0; i < reading.entries.size(); ++i) {
    EXPECT_EQ(reading.entries[i].field, process_fields()[i + 1]);
    EXPECT_FALSE(is_null(reading.entries[i].value)) << reading.entries[i].name();
  }
}

TEST(ProcessReading, SaysWhatTheProcessKnowsOfItself) {
  const Reading reading = read_self();
  EXPECT_EQ(reading.number("process.pid"), static_cast<double>(self()));
  const double rss = reading.number("process.rss_bytes").value();
  EXPECT_NEAR(rss, static_cast<double>(rss_bytes(self()).value()), 4 << 20);
  // Shared pages count less, and swapped ones not at all.
  EXPECT_GT(reading.number("process.pss_bytes").value(), 0);
  EXPECT_LE(reading.number("process.pss_bytes").value(), rss + (4 << 20));
  EXPECT_EQ(reading.number("process.threads"), static_cast<double>(process_times(self())->threads));
  const double uptime = reading.number("process.uptime_s").value();
  EXPECT_GE(uptime, 0);
  EXPECT_LT(uptime, 3600);
  EXPECT_LE(reading.number("process.cpu_s").value(), uptime * 64);
}

TEST(ProcessReading, CountsDescriptorsAndTcpSocketsOnce) {
  const Reading before = read_self();
  const int tcp = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 any{.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  ASSERT_EQ(::bind(tcp, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
  ASSERT_EQ(::listen(tcp, 1), 0);
  const int again = ::dup(tcp);
  const int unix_socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const Reading with = read_self();
  EXPECT_EQ(with.number("process.descriptors").value(), before.number("process.descriptors").value() + 3);
  EXPECT_EQ(with.number("process.tcp_sockets").value(), before.number("process.tcp_sockets").value() + 1);
  for (const int fd : {tcp, again, unix_socket}) ::close(fd);
}

TEST(ProcessReading, SaysInOneLineThatThereIsNoSuchProcess) {
  const auto reading = read_process(std::numeric_limits<std::uint32_t>::max());
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().message, "process 4294967295: No such process");
  EXPECT_EQ(reading.error().exit, Error::Exit::kFailure);
}

}  // namespace
}  // namespace h2park::stats
