#include "readout/live_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <iterator>

namespace h2park::readout {
namespace {

char letter(const stats::Place& place, std::optional<std::chrono::milliseconds> unseen) {
  if (!place.depth) return '.';
  const bool fresh = unseen && place.rested < *unseen;
  switch (*place.depth) {
    case stats::Depth::kActive:
      return 'a';
    case stats::Depth::kParked:
      return fresh ? 'P' : 'p';
    case stats::Depth::kFrozen:
      return fresh ? 'F' : 'f';
  }
  return '.';
}

void append(std::string& out, char what, std::size_t times) {
  if (times > 1) fmt::format_to(std::back_inserter(out), "{}", times);
  if (times > 0) out += what;
}

}  // namespace

std::string places_text(const stats::ThreadDepths& depths, std::optional<CoarseTime> before) {
  std::optional<std::chrono::milliseconds> unseen;
  if (before) unseen = depths.taken - *before;
  std::string out;
  char run = '.';
  std::size_t times = 0;
  for (const stats::Place& place : depths.places) {
    const char next = letter(place, unseen);
    if (next != run) {
      append(out, run, times);
      times = 0;
    }
    run = next;
    ++times;
  }
  if (run != '.') append(out, run, times);
  return out;
}

std::string live_event(std::string_view stats, const std::vector<std::string>& places, std::size_t left_out) {
  if (stats.ends_with('\n')) stats.remove_suffix(1);
  std::string out;
  fmt::format_to(std::back_inserter(out), R"(data: {{"stats":{},"left_out":{},"depths":[)", stats, left_out);
  for (const std::string& text : places) {
    if (out.back() != '[') out += ',';
    out += '"';
    out += text;
    out += '"';
  }
  return out + "]}\n\n";
}

}  // namespace h2park::readout
