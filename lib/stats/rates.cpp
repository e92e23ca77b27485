#include "stats/rates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace h2park::stats {
namespace {

bool is_named(const Entry& entry, std::string_view name) {
  return entry.field->name == name && (entry.field->group.empty() || entry.field->group == "process");
}

std::optional<double> top_figure(const Reading& reading, std::string_view name) {
  const auto found =
      std::ranges::find_if(reading.entries, [&](const Entry& entry) { return is_named(entry, name); });
  return found == reading.entries.end() ? std::nullopt : number_of(found->value);
}

/// The same figure in `reading`. Two readings nearly always have the same entries at the same places.
const Entry* counterpart(const Reading& reading, const Entry& entry, std::size_t place) {
  const auto is_it = [&](const Entry& other) {
    return other.field == entry.field && other.key == entry.key && other.per_second == entry.per_second;
  };
  if (place < reading.entries.size() && is_it(reading.entries[place])) return &reading.entries[place];
  const auto found = std::ranges::find_if(reading.entries, is_it);
  return found == reading.entries.end() ? nullptr : &*found;
}

/// How much a counter grew; nullopt if one of the two is null.
std::optional<double> increase(const Reading& before, const Entry& now, std::size_t place) {
  const Entry* old = counterpart(before, now, place);
  const std::optional<double> from = old != nullptr ? number_of(old->value) : std::nullopt;
  const std::optional<double> to = number_of(now.value);
  if (!from || !to) return std::nullopt;
  return *to - *from;
}

bool is_counter(const Entry& entry) { return entry.field->kind == Kind::kCounter && !entry.per_second; }

}  // namespace

bool restarted(const Reading& before, const Reading& now) {
  const auto differ = [&](std::string_view name, auto wrong) {
    const auto from = top_figure(before, name);
    const auto to = top_figure(now, name);
    return from && to && wrong(*from, *to);
  };
  if (differ("pid", std::not_equal_to<>()) || differ("uptime_s", std::greater<>())) return true;
  for (std::size_t i = 0; i < now.entries.size(); ++i) {
    if (is_counter(now.entries[i]) && increase(before, now.entries[i], i).value_or(0) < 0) return true;
  }
  return false;
}

std::optional<double> seconds_between(const Reading& before, const Reading& now) {
  const auto from = top_figure(before, "uptime_s");
  const auto to = top_figure(now, "uptime_s");
  if (!from || !to || *to <= *from || restarted(before, now)) return std::nullopt;
  return *to - *from;
}

void add_rates(Reading& now, const Reading* before) {
  const auto seconds = before != nullptr ? seconds_between(*before, now) : std::nullopt;
  const std::size_t count = now.entries.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_counter(now.entries[i])) continue;
    Entry rate{.field = now.entries[i].field, .key = now.entries[i].key, .per_second = true};
    const auto grown = seconds ? increase(*before, now.entries[i], i) : std::nullopt;
    // Three decimals tell more than a server's millisecond of uptime does.
    if (grown) rate.value = std::round(*grown / *seconds * 1000) / 1000;
    now.entries.push_back(std::move(rate));
  }
}

}  // namespace h2park::stats
