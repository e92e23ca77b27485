#include "stats/text.hpp"

#include "stats/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace h2park::stats {
namespace {

struct Row {
  std::string name;
  std::string exact;
  std::string rounded;
};
struct Group {
  std::string_view title;
  std::vector<Row> rows;
};

std::string_view title_of(std::string_view group) {
  if (group.empty()) return "server";
  if (group == "parking_events") return "parking";
  return group;
}

std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return out;
}

std::string decimal(double number) {
  std::array<char, 400> digits;
  const auto result = std::to_chars(digits.begin(), digits.end(), number, std::chars_format::fixed);
  return {digits.data(), result.ptr};
}

/// Appends the rows of one field.
class RowsOf {
 public:
  RowsOf(const Field& field, std::vector<Row>& rows) : field_(field), rows_(rows) {}

  void operator()(const Figure& figure) const {
    if (!figure) return add(std::string(field_.null_text));
    add(std::to_string(*figure), field_.unit == Unit::kBytes ? rounded_size(*figure) : "");
  }
  void operator()(const Seconds& seconds) const {
    if (!seconds) return add(std::string(field_.null_text));
    add(decimal(*seconds), rounded_time(*seconds));
  }
  void operator()(const Flag& flag) const {
    add(flag ? std::string(*flag ? "on" : "off") : std::string(field_.null_text));
  }
  void operator()(const std::optional<std::string>& string) const {
    add(string ? printable(*string) : std::string(field_.null_text));
  }
  void operator()(const Tally& tally) const {
    if (!tally) return add(std::string(field_.null_text));
    for (const auto& [key, count] : *tally) {
      if (count == 0) continue;
      rows_.push_back({std::string(field_.name) + "." + printable(key), std::to_string(count), ""});
    }
  }

 private:
  void add(std::string exact, std::string rounded = "") const {
    rows_.push_back({std::string(field_.name), std::move(exact), std::move(rounded)});
  }

  const Field& field_;
  std::vector<Row>& rows_;
};

std::vector<Group> groups_of(const Snapshot& snapshot) {
  std::vector<Group> groups;
  for (const Field& field : fields()) {
    const std::string_view title = title_of(field.group);
    if (groups.empty() || groups.back().title != title) groups.push_back({title, {}});
    const RowsOf rows(field, groups.back().rows);
    std::visit([&](const auto& place) { rows(place.read(snapshot)); }, field.place);
  }
  return groups;
}

std::string pad(std::size_t width, const std::string& text) {
  return std::string(width - std::min(width, text.size()), ' ');
}

}  // namespace

std::string to_text(const Snapshot& snapshot) {
  const std::vector<Group> groups = groups_of(snapshot);
  std::size_t name_width = 0;
  std::size_t exact_width = 0;
  for (const Group& group : groups) {
    for (const Row& row : group.rows) {
      name_width = std::max(name_width, row.name.size());
      exact_width = std::max(exact_width, row.exact.size());
    }
  }
  std::string out;
  for (const Group& group : groups) {
    if (!out.empty()) out += '\n';
    out.append(group.title).append("\n");
    for (const Row& row : group.rows) {
      out += "  " + row.name + pad(name_width, row.name) + "  " + pad(exact_width, row.exact) + row.exact;
      if (!row.rounded.empty()) out += "  " + row.rounded;
      out += '\n';
    }
  }
  return out;
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
