#include "stats/reading.hpp"

#include "stats/fields.hpp"

#include <algorithm>

namespace h2park::stats {
namespace {

/// Takes `part` off the front of `text`, if it is there.
bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

/// Appends the entries of one field.
class EntriesOf {
 public:
  EntriesOf(const FieldInfo& field, std::vector<Entry>& entries) : field_(field), entries_(entries) {}

  template <class T>
  void operator()(const std::optional<T>& value) const {
    entries_.push_back({.field = &field_, .value = value ? Value(*value) : Value()});
  }
  void operator()(const Tally& tally) const {
    if (!tally) return entries_.push_back({.field = &field_});
    for (const auto& [key, count] : *tally) {
      entries_.push_back({.field = &field_, .key = key, .value = count});
    }
  }

 private:
  const FieldInfo& field_;
  std::vector<Entry>& entries_;
};

}  // namespace

std::optional<double> number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return std::nullopt;
}

std::string Entry::name() const {
  std::string text(field->group);
  if (!text.empty()) text += '.';
  text += field->name;
  if (!key.empty()) text += "." + key;
  if (per_second) text += "/s";
  return text;
}

bool Entry::has_name(std::string_view dotted) const {
  if (!field->group.empty() && !(take(dotted, field->group) && take(dotted, "."))) return false;
  if (!take(dotted, field->name)) return false;
  if (!key.empty() && !(take(dotted, ".") && take(dotted, key))) return false;
  return dotted == (per_second ? "/s" : "");
}

const Entry* Reading::find(std::string_view name) const {
  const auto found = std::ranges::find_if(entries, [&](const Entry& entry) { return entry.has_name(name); });
  return found == entries.end() ? nullptr : &*found;
}

std::optional<double> Reading::number(std::string_view name) const {
  const Entry* entry = find(name);
  return entry != nullptr ? number_of(entry->value) : std::nullopt;
}

Reading to_reading(const Snapshot& snapshot) {
  Reading reading;
  for (const Field& field : fields()) {
    const EntriesOf add(field, reading.entries);
    std::visit([&](const auto& place) { add(place.read(snapshot)); }, field.place);
  }
  return reading;
}

}  // namespace h2park::stats
