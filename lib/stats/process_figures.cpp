#include "stats/process_figures.hpp"

#include <malloc.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <string>

namespace h2park::stats {
namespace {

std::optional<std::string> first_line(std::uint64_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

/// Takes the next blank-separated word off `text`; empty at its end.
std::string_view next_word(std::string_view& text) {
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = std::min(text.find(' ', start), text.size());
  const std::string_view word = text.substr(start, end - start);
  text.remove_prefix(end);
  return word;
}

std::optional<std::uint64_t> to_number(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> rss_bytes(std::uint64_t pid) {
  const std::optional<std::string> line = first_line(pid, "statm");
  if (!line) return std::nullopt;
  std::string_view rest = *line;
  next_word(rest);  // the size of the address space
  const std::optional<std::uint64_t> pages = to_number(next_word(rest));
  if (!pages) return std::nullopt;
  return *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<std::uint64_t> heap_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  const std::uint64_t bytes = info.uordblks + info.hblkhd;
  if (bytes == 0) return std::nullopt;
  return bytes;
}

std::optional<ProcessTimes> process_times(std::uint64_t pid) {
  const std::optional<std::string> line = first_line(pid, "stat");
  if (!line) return std::nullopt;
  return parse_process_stat(*line, ::sysconf(_SC_CLK_TCK));
}

std::optional<ProcessTimes> parse_process_stat(std::string_view line, std::int64_t ticks) {
  constexpr int kState = 3, kUserTime = 14, kKernelTime = 15, kThreads = 20,
                kStartTime = 22;  // proc(5), counted from 1
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(name_end + 1);
  std::array<std::string_view, kStartTime - kState + 1> words;
  for (std::string_view& word : words) word = next_word(rest);
  const std::optional<std::uint64_t> threads = to_number(words[kThreads - kState]);
  const std::optional<std::uint64_t> start = to_number(words[kStartTime - kState]);
  const std::optional<std::uint64_t> user = to_number(words[kUserTime - kState]);
  const std::optional<std::uint64_t> kernel = to_number(words[kKernelTime - kState]);
  if (!threads || !start || !user || !kernel || ticks <= 0) return std::nullopt;
  const auto time = [ticks](std::uint64_t count) {
    return std::chrono::milliseconds(count * 1000 / static_cast<std::uint64_t>(ticks));
  };
  return ProcessTimes{.threads = *threads, .since_boot = time(*start), .cpu = time(*user + *kernel)};
}

}  // namespace h2park::stats
