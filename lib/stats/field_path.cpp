#include "stats/field_path.hpp"

#include "stats/decimal.hpp"
#include "stats/fields.hpp"

#include <algorithm>

namespace h2park::stats {
namespace {

void append_word(std::string& list, std::string_view word) {
  if (!list.empty()) list += ", ";
  list += word;
}

std::string quoted(std::string_view name) { return "'" + printable(name) + "'"; }

bool is_group(std::string_view name, const KnownFields& known) {
  return !name.empty() && std::ranges::find(known, name, &FieldInfo::group) != known.end();
}

/// "unknown field 'connections.opne'; connections has open, accepted, ..."
std::unexpected<Error> unknown(std::string_view name, const KnownFields& known) {
  const std::string_view group = name.substr(0, name.find('.'));
  const bool in_group = is_group(group, known);
  std::string list;
  std::string_view last;
  for (const FieldInfo* field : known) {
    if (in_group && field->group == group) append_word(list, field->name);
    if (in_group) continue;
    if (field->group.empty() || field->group != last) {
      append_word(list, field->group.empty() ? std::string(field->name) : std::string(field->group) + ".*");
    }
    last = field->group;
  }
  return usage_error("unknown field " + quoted(name) + "; " +
                     (in_group ? std::string(group) + " has " : "there is ") + list);
}

/// `name` without the field's own, which is "" or ".key"; nullopt if it is another field's.
std::optional<std::string_view> rest_after(const FieldInfo& field, std::string_view name) {
  const std::string own = field.group.empty() ? std::string(field.name)
                                              : std::string(field.group) + "." + std::string(field.name);
  if (!name.starts_with(own)) return std::nullopt;
  name.remove_prefix(own.size());
  if (name.empty()) return name;
  const bool key = !field.key.empty() && name.size() > 1 && name.front() == '.';
  return key ? std::optional(name.substr(1)) : std::nullopt;
}

std::unexpected<Error> unknown_key(const FieldPath& path, const Reading& reading) {
  std::string list;
  for (const Entry& entry : reading.entries) {
    if (entry.field == path.field && !entry.per_second) append_word(list, printable(entry.key));
  }
  return usage_error("unknown field " + quoted(path.text) + "; " + std::string(path.field->name) + " has " +
                     (list.empty() ? "no keys" : list));
}

/// False for a key of a tally that is there, without this key.
bool may_have(const Reading& reading, const FieldPath& path) {
  if (path.key.empty()) return true;
  return std::ranges::none_of(
      reading.entries, [&](const Entry& entry) { return entry.field == path.field && !entry.key.empty(); });
}

}  // namespace

const FieldInfo& time_field() {
  static constexpr FieldInfo kTime{"",          "time", Unit::kText,
                                   Kind::kInfo, "",     "When the figures were read, in UTC"};
  return kTime;
}

const KnownFields& server_fields() {
  static const KnownFields all = [] {
    KnownFields list{&time_field()};
    for (const Field& field : fields()) list.push_back(&field);
    return list;
  }();
  return all;
}

bool FieldPath::matches(const Entry& entry) const {
  if (entry.per_second != per_second) return false;
  if (field == nullptr) return entry.field->group == text;
  return entry.field == field && (key.empty() || entry.key == key);
}

Result<FieldPath> parse_field(std::string_view name, const KnownFields& known) {
  FieldPath path{.text = std::string(name)};
  std::string_view plain = name;
  if (plain.ends_with("/s")) {
    plain.remove_suffix(2);
    path.per_second = true;
  }
  if (is_group(plain, known) && !path.per_second) return path;
  for (const FieldInfo* field : known) {
    const auto key = rest_after(*field, plain);
    if (!key) continue;
    if (path.per_second && field->kind != Kind::kCounter) {
      return usage_error(quoted(name) + ": only counters have a rate, and " + std::string(plain) +
                         " is none");
    }
    path.field = field;
    path.key = *key;
    return path;
  }
  return unknown(name, known);
}

Result<std::vector<Entry>> select(const Reading& reading, std::span<const FieldPath> paths) {
  std::vector<Entry> chosen;
  for (const FieldPath& path : paths) {
    const std::size_t before = chosen.size();
    std::ranges::copy_if(reading.entries, std::back_inserter(chosen),
                         [&](const Entry& entry) { return path.matches(entry); });
    if (chosen.size() > before) continue;
    if (!may_have(reading, path)) return unknown_key(path, reading);
    if (path.field != nullptr) {
      chosen.push_back({.field = path.field, .key = path.key, .per_second = path.per_second});
    }
  }
  return chosen;
}

}  // namespace h2park::stats
