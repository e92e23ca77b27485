#include "cmd/get_timeline.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>

namespace h2park::cmd {
namespace {

using Boxes = std::vector<Timeline::Box>;

// Colours that are told apart with any eyes, in print too (Okabe and Ito).
enum class Kind : std::uint8_t { kDialling, kNew, kReused, kDrain, kFailed };
struct Look {
  Kind kind;
  std::string_view label;
  std::string_view block;  // the data's name in the script
  std::string_view style;
};
constexpr std::array<Look, 5> kLooks{{
    {Kind::kDialling, "connecting", "$dialling", "fs solid noborder fc rgb '#d9d9d9'"},
    {Kind::kNew, "request, new connection", "$new", "fs solid border lc rgb '#8a3d00' fc rgb '#e69f00'"},
    {Kind::kReused, "request, reused connection", "$reused",
     "fs solid border lc rgb '#00415f' fc rgb '#56b4e9'"},
    {Kind::kDrain, "drain", "$drain", "fs solid border lc rgb '#006d50' fc rgb '#b2e2d2'"},
    {Kind::kFailed, "failed request", "$failed", "fs solid border lc rgb '#5c0a0a' fc rgb '#d62728'"},
}};

constexpr unsigned kColumns = 1200;  // pixels
constexpr unsigned kLeastRows = 340;
constexpr unsigned kMostRows = 1200;
constexpr unsigned kFrame = 190;  // title, axis and legend
constexpr unsigned kRowHeight = 26;

/// In milliseconds from the first request, up to a second; else in seconds.
struct Scale {
  TimePoint zero{};
  double unit = 1e6;
  std::string_view name = "ms";
  double end = 1;

  double at(TimePoint time) const { return static_cast<double>((time - zero).count()) / unit; }
};

Scale scale_of(const Boxes& boxes) {
  Scale scale;
  if (boxes.empty()) return scale;
  TimePoint last = TimePoint::min();
  scale.zero = TimePoint::max();
  for (const Timeline::Box& box : boxes) {
    scale.zero = std::min(scale.zero, box.begin);
    last = std::max(last, box.end + box.drain);
  }
  if (last - scale.zero > std::chrono::seconds(2)) {
    scale.unit = 1e9;
    scale.name = "s";
  }
  scale.end = std::max(scale.at(last), 1e-6);
  return scale;
}

/// Rows from the top, in the order in which the connections were made.
std::map<std::uint64_t, std::size_t> rows_of(const Boxes& boxes) {
  std::map<std::uint64_t, std::size_t> rows;
  for (const Timeline::Box& box : boxes) rows.try_emplace(box.connection);
  std::size_t row = 0;
  for (auto& [connection, place] : rows) place = ++row;
  return rows;
}

struct Span {
  TimePoint begin;
  TimePoint end;
};

/// What `box` has of a kind.
std::optional<Span> span_of(const Timeline::Box& box, Kind kind) {
  const bool is_own = kind == (box.failed ? Kind::kFailed : box.reused ? Kind::kReused : Kind::kNew);
  if (is_own) return Span{box.ready, box.end};
  if (kind == Kind::kDialling && !box.reused && box.ready > box.begin) return Span{box.begin, box.ready};
  if (kind == Kind::kDrain && box.drain > Duration::zero()) return Span{box.end, box.end + box.drain};
  return std::nullopt;
}

/// boxxyerror's columns: x y xlow xhigh ylow yhigh. False if there is none.
bool append_block(std::string& script, const Look& look, const Boxes& boxes, const Scale& scale,
                  const std::map<std::uint64_t, std::size_t>& rows) {
  std::string lines;
  for (const Timeline::Box& box : boxes) {
    const std::optional<Span> span = span_of(box, look.kind);
    if (!span) continue;
    const double low = scale.at(span->begin);
    const double high = std::max(scale.at(span->end), low);
    const auto row = static_cast<double>(rows.at(box.connection));
    const double half = look.kind == Kind::kDialling ? 0.15 : 0.36;
    fmt::format_to(std::back_inserter(lines), "{:.6f} {:.0f} {:.6f} {:.6f} {:.2f} {:.2f}\n", (low + high) / 2,
                   row, low, high, row - half, row + half);
  }
  if (lines.empty()) return false;
  script += fmt::format("{} << END\n{}END\n", look.block, lines);
  return true;
}

/// Inside single quotes gnuplot reads nothing but the quote itself.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + "'";
}

std::string subtitle(const Timeline& timeline, std::size_t connections) {
  const std::size_t drawn = timeline.boxes().size();
  std::string text = timeline.seen() > drawn
                         ? fmt::format("the first {} of {} requests", drawn, timeline.seen())
                         : fmt::format("{} request{}", drawn, drawn == 1 ? "" : "s");
  return text + fmt::format(" on {} connection{}", connections, connections == 1 ? "" : "s");
}

std::string head(const Timeline& timeline, PlotFormat format, std::string_view title, const Scale& scale,
                 std::size_t rows) {
  const auto wanted = static_cast<unsigned>(std::min<std::size_t>(rows, kMostRows) * kRowHeight) + kFrame;
  const unsigned height = std::clamp(wanted, kLeastRows, kMostRows);
  std::string shown(title.substr(0, 100));
  if (title.size() > shown.size()) shown += "...";
  std::string script =
      fmt::format("set encoding utf8\nset terminal {} size {},{} font 'Sans,11' background rgb '#ffffff'\n",
                  format == PlotFormat::kSvg ? "svg" : "pngcairo", kColumns, height);
  script += "set title " + quoted(shown) + " noenhanced font 'Sans,13' offset 0,1\n";
  script += "set label 1 " + quoted(subtitle(timeline, rows)) +
            " noenhanced at graph 0.5, graph 1 center offset 0,0.8 textcolor rgb '#555555'\n";
  script +=
      fmt::format("set xlabel 'time since the first request ({})'\nset ylabel 'connection'\n", scale.name);
  script += fmt::format("set xrange [0:{:.6f}]\nset yrange [{}:0.4]\n", scale.end * 1.01,
                        static_cast<double>(rows) + 0.6);
  script += "set tmargin 4\nset bmargin 5.5\n";
  script += "set key at screen 0.5,screen 0.02 center bottom horizontal samplen 2 spacing 1.2\n";
  script += "set border 3 lc rgb '#888888'\nset xtics nomirror\nset grid xtics lc rgb '#e0e0e0' lt 1\n";
  return script;
}

/// At most about 25 labels, or they would overlap.
std::string row_labels(const std::map<std::uint64_t, std::size_t>& rows) {
  const std::size_t step = (rows.size() + 24) / 25;
  std::string labels;
  for (const auto& [connection, row] : rows) {
    if ((row - 1) % std::max<std::size_t>(step, 1) != 0) continue;
    labels += fmt::format("{}'{}' {}", labels.empty() ? "" : ", ", connection, row);
  }
  return "set ytics nomirror scale 0 (" + labels + ")\n";
}

}  // namespace

void Timeline::add(const client::Record& record, bool failed) {
  if (record.connection.id == 0) return;
  ++seen_;
  if (boxes_.size() >= kMost) return;
  const client::Timings& t = record.timings;
  const TimePoint ready = std::max(t.ready, t.begin);
  boxes_.push_back({record.connection.id, t.begin, ready, std::max(t.end, ready), record.drain.time,
                    record.connection.reused, failed});
}

std::string plot_script(const Timeline& timeline, PlotFormat format, std::string_view title) {
  const Boxes& boxes = timeline.boxes();
  const Scale scale = scale_of(boxes);
  const auto rows = rows_of(boxes);
  std::string script = head(timeline, format, title, scale, std::max<std::size_t>(rows.size(), 1));
  if (!rows.empty()) script += row_labels(rows);
  std::string plots;
  for (const Look& look : kLooks) {
    if (!append_block(script, look, boxes, scale, rows)) continue;
    plots += fmt::format("{} {} using 1:2:3:4:5:6 with boxxyerror {} title '{}'",
                         plots.empty() ? "plot" : ",", look.block, look.style, look.label);
  }
  return script + (plots.empty() ? "plot NaN notitle" : plots) + "\n";
}

}  // namespace h2park::cmd
