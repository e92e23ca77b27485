#include "stats/text.hpp"

#include "stats/decimal.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace h2park::stats {
namespace {

using Row = std::vector<std::string>;

std::string_view title_of(std::string_view group) {
  if (group.empty()) return "server";
  if (group == "parking_events") return "parking";
  return group;
}

/// Within its group: "closed.idle".
std::string short_name(const Entry& entry) {
  std::string name(entry.field->name);
  if (!entry.key.empty()) name += "." + printable(entry.key);
  return name;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string pad(std::size_t width, std::string_view text) {
  return std::string(width - std::min(width, width_of(text)), ' ');
}

}  // namespace

std::string exact_text(const Entry& entry) {
  return is_null(entry.value) ? std::string(entry.field->null_text) : decimal(entry.value);
}

std::string rounded_text(const Entry& entry) {
  const std::optional<double> number = number_of(entry.value);
  if (!number || entry.per_second) return "";
  const auto* whole = std::get_if<std::uint64_t>(&entry.value);
  if (entry.field->unit == Unit::kBytes && whole != nullptr) return rounded_size(*whole);
  return entry.field->unit == Unit::kSeconds ? rounded_time(*number) : "";
}

std::string align(const std::vector<Row>& rows, std::span<const std::size_t> left, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool to_left = i == 0 || std::ranges::find(left, i) != left.end();
      const std::string blanks = pad(widths[i], row[i]);
      line += (i > 0 ? "  " : "") + (to_left ? row[i] + blanks : blanks + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string to_text(const Reading& reading) {
  std::vector<Row> rows;
  std::vector<std::pair<std::string_view, std::size_t>> groups;  // title, number of its rows
  for (const Entry& entry : reading.entries) {
    const std::string_view title = title_of(entry.field->group);
    if (groups.empty() || groups.back().first != title) groups.emplace_back(title, 0);
    const auto* count = std::get_if<std::uint64_t>(&entry.value);
    if (!entry.key.empty() && count != nullptr && *count == 0) continue;
    rows.push_back({short_name(entry), exact_text(entry), rounded_text(entry)});
    ++groups.back().second;
  }
  constexpr std::array<std::size_t, 1> kRoundedToTheLeft = {2};
  std::string_view lines;
  const std::string table = align(rows, kRoundedToTheLeft, "  ");
  lines = table;
  std::string out;
  for (const auto& [title, count] : groups) {
    if (!out.empty()) out += '\n';
    out.append(title).append("\n");
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t end = lines.find('\n') + 1;
      out += lines.substr(0, end);
      lines.remove_prefix(end);
    }
  }
  return out;
}

std::string to_table(std::span<const Entry> entries) {
  std::vector<Row> rows;
  for (const Entry& entry : entries) {
    rows.push_back({printable(entry.name()), exact_text(entry), rounded_text(entry)});
  }
  constexpr std::array<std::size_t, 1> kRoundedToTheLeft = {2};
  return align(rows, kRoundedToTheLeft);
}

std::string rounded_size(std::uint64_t bytes) {
  if (bytes < 1024) return "";
  constexpr std::array<const char*, 4> kUnits = {" KiB", " MiB", " GiB", " TiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would be shown as 1024.0 of the smaller unit.
  for (; value >= 1023.95 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  const auto tenths = static_cast<std::uint64_t>(std::llround(value * 10));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + kUnits[unit];
}

std::string rounded_time(double seconds) {
  constexpr double kLongest = 1e12;  // beyond it nobody measured a time
  if (!(seconds >= 60 && seconds < kLongest)) return "";
  const auto whole = static_cast<std::uint64_t>(seconds);
  std::string out;
  if (whole >= 86'400) out += std::to_string(whole / 86'400) + "d ";
  if (whole >= 3'600) out += std::to_string(whole / 3'600 % 24) + "h ";
  return out + std::to_string(whole / 60 % 60) + "m " + std::to_string(whole % 60) + "s";
}

}  // namespace h2park::stats
