// Reading: the figures of one moment as a flat list, "connections.closed.idle" a line of its own. Whatever
// works on any figure by its name (tables, expressions, differences, Prometheus's text) works on this,
// whether the figures are a server's or a process's.
#pragma once

#include "stats/field_info.hpp"
#include "stats/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace h2park::stats {

/// std::monostate: null, what could not be measured.
using Value = std::variant<std::monostate, std::uint64_t, double, bool, std::string>;

inline bool is_null(const Value& value) { return std::holds_alternative<std::monostate>(value); }
/// A flag counts as 0 or 1. nullopt: null, or a text.
std::optional<double> number_of(const Value& value);

struct Entry {
  const FieldInfo* field;
  std::string key = {};  ///< of a tally; "" for other fields, and for a tally that is null
  Value value = {};
  bool per_second = false;  ///< a counter's rate (stats/rates.hpp), named NAME/s

  /// "uptime_s", "connections.closed.idle", "requests.total/s"
  std::string name() const;
  bool has_name(std::string_view dotted) const;
};

struct Reading {
  std::vector<Entry> entries;  ///< fields of a group, and keys of a tally, are neighbours

  /// nullptr if there is none of this name.
  const Entry* find(std::string_view name) const;
  /// nullopt where find() or number_of() has nothing.
  std::optional<double> number(std::string_view name) const;
};

/// In the order of fields().
Reading to_reading(const Snapshot& snapshot);

}  // namespace h2park::stats
