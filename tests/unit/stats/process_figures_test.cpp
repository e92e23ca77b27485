#include "stats/process_figures.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <thread>

namespace h2park::stats {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kChunk = 16 * 1024 * 1024;
constexpr std::uint64_t kNobody = std::numeric_limits<std::uint32_t>::max();

std::uint64_t self() { return static_cast<std::uint64_t>(::getpid()); }

TEST(ProcessFigures, SeeResidentMemoryGrowAndShrink) {
  const std::uint64_t before = rss_bytes(self()).value();
  void* const chunk = ::mmap(nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(chunk, MAP_FAILED);
  std::memset(chunk, 1, kChunk);
  const std::uint64_t with = rss_bytes(self()).value();
  ::munmap(chunk, kChunk);
  const std::uint64_t after = rss_bytes(self()).value();
  constexpr std::uint64_t kSlack = kChunk / 4;
  EXPECT_GT(with, before + kChunk - kSlack);
  EXPECT_LT(after, before + kSlack);
}

TEST(ProcessFigures, SayNothingAboutAProcessThatIsNotThere) {
  EXPECT_EQ(rss_bytes(kNobody), std::nullopt);
  EXPECT_EQ(process_times(kNobody), std::nullopt);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ProcessFigures, CountLargeAndSmallBlocksOfAnyThreadInTheHeap) {
  const std::uint64_t before = heap_bytes().value();
  const auto large = std::make_unique<std::byte[]>(kChunk);  // a mapping of its own
  EXPECT_GE(heap_bytes().value(), before + kChunk);
  const std::uint64_t with_large = heap_bytes().value();
  std::unique_ptr<std::byte[]> small;
  std::thread([&] { small = std::make_unique<std::byte[]>(20'000); }).join();  // another arena
  EXPECT_GE(heap_bytes().value(), with_large + 20'000);
}
#endif

TEST(ProcessFigures, CountThreads) {
  std::jthread waiting([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  // Counted by hand: a sanitizer may have a thread of its own.
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  const auto expected = static_cast<std::uint64_t>(std::distance(begin(tasks), end(tasks)));
  EXPECT_GE(expected, 2U);
  EXPECT_EQ(process_times(self()).value().threads, expected);
}

TEST(ProcessFigures, KnowThatTheProcessStartedAfterBootAndBeforeNow) {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const auto start = process_times(self()).value().since_boot;
  EXPECT_GT(start, 0ms);
  EXPECT_LE(start, std::chrono::seconds(now.tv_sec + 1));
}

constexpr std::string_view kRest =
    " S 1 42 42 0 -1 4194304 100 0 0 0 11 12 0 0 20 0 7 0 110632 3133440 382 18446744073709551615";

TEST(ProcessFigures, ParseAStatLine) {
  const std::string line = "42 (h2park)" + std::string(kRest);
  EXPECT_EQ(parse_process_stat(line, 100),
            (ProcessTimes{.threads = 7, .since_boot = 1'106'320ms, .cpu = 230ms}));
}

TEST(ProcessFigures, ParseANameWithBlanksAndParentheses) {
  const std::string line = "42 (a) S 1 (b c)" + std::string(kRest);
  EXPECT_EQ(parse_process_stat(line, 1000),
            (ProcessTimes{.threads = 7, .since_boot = 110'632ms, .cpu = 23ms}));
}

TEST(ProcessFigures, RefuseALineThatEndsEarly) {
  const std::string line = "42 (h2park)" + std::string(kRest);
  const std::size_t needed = line.find(" 110632") + 2;
  for (std::size_t length = 0; length < needed; ++length) {
    EXPECT_EQ(parse_process_stat(std::string_view(line).substr(0, length), 100), std::nullopt) << length;
  }
}

}  // namespace
}  // namespace h2park::stats
