// The one list of what /stats.json says: every format (JSON, text and what comes later) is made from it.
#pragma once

#include "stats/field_info.hpp"
#include "stats/snapshot.hpp"

#include <optional>
#include <span>
#include <string>
#include <variant>

namespace h2park::stats {

/// Where a field's value is in a Snapshot.
template <class T>
struct Place {
  const T& (*read)(const Snapshot&);
  T& (*edit)(Snapshot&);
};
using AnyPlace =
    std::variant<Place<Figure>, Place<Seconds>, Place<Flag>, Place<Tally>, Place<std::optional<std::string>>>;

struct Field : FieldInfo {
  AnyPlace place;
};

/// In the order of the JSON; the fields of a group are neighbours.
/// Lifetime: static.
std::span<const Field> fields();

}  // namespace h2park::stats
