// Timeline: which request ran when and on which connection, and the picture of it (--plot).
#pragma once

#include "client/record.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// Thread: one.
class Timeline {
 public:
  /// More boxes than a picture has columns show nothing more; 80 KiB.
  static constexpr std::size_t kMost = 2000;

  struct Box {
    std::uint64_t connection;
    TimePoint begin;  ///< the connection was asked for
    TimePoint ready;  ///< the request had it
    TimePoint end;
    Duration drain;
    bool reused;
    bool failed;
  };

  /// Those that had a connection; the first kMost of them.
  void add(const client::Record& record, bool failed);
  const std::vector<Box>& boxes() const { return boxes_; }
  /// How many there were.
  std::uint64_t seen() const { return seen_; }

 private:
  std::vector<Box> boxes_;
  std::uint64_t seen_ = 0;
};

enum class PlotFormat : std::uint8_t { kSvg, kPng };

/// A gnuplot script, its data included, that draws to standard output. `title` may be any text.
std::string plot_script(const Timeline& timeline, PlotFormat format, std::string_view title);

}  // namespace h2park::cmd
