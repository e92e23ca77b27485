// The one list of what /stats.json says: every format (JSON, text and what comes later) is made from it.
#pragma once

#include "stats/snapshot.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace h2park::stats {

enum class Unit : std::uint8_t { kNone, kCount, kBytes, kSeconds };
/// kInfo: set once. kGauge: goes up and down. kCounter: only grows while the server lives.
enum class Kind : std::uint8_t { kInfo, kGauge, kCounter };

/// Where a field's value is in a Snapshot.
template <class T>
struct Place {
  const T& (*read)(const Snapshot&);
  T& (*edit)(Snapshot&);
};
using AnyPlace =
    std::variant<Place<Figure>, Place<Seconds>, Place<Flag>, Place<Tally>, Place<std::optional<std::string>>>;

struct Field {
  std::string_view group;  ///< the JSON object that holds it; "" for the top level
  std::string_view name;
  Unit unit;
  Kind kind;
  AnyPlace place;
  std::string_view help;             ///< one line, no full stop
  std::string_view key = {};         ///< Tally: what its keys are, one word
  std::string_view null_text = "-";  ///< how text shows null
};

/// In the order of the JSON; the fields of a group are neighbours.
/// Lifetime: static.
std::span<const Field> fields();

}  // namespace h2park::stats
