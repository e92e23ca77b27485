// FieldInfo: what is known about a figure before anybody has measured it.
#pragma once

#include <cstdint>
#include <string_view>

namespace h2park::stats {

/// What it is counted in; or that it is no number.
enum class Unit : std::uint8_t { kNone, kCount, kBytes, kSeconds, kFlag, kText };
/// kInfo: set once. kGauge: goes up and down. kCounter: only grows while the server lives.
enum class Kind : std::uint8_t { kInfo, kGauge, kCounter };

/// Lifetime: static, so that others point to it.
struct FieldInfo {
  std::string_view group;  ///< the JSON object that holds it; "" for the top level
  std::string_view name;
  Unit unit;
  Kind kind;
  std::string_view metric;    ///< its name in Prometheus's text; "" if it is not there
  std::string_view help;      ///< one line, no full stop
  std::string_view key = {};  ///< a tally: what its keys are, one word, which is Prometheus's label too
  std::string_view null_text = "-";  ///< how text shows null
};

}  // namespace h2park::stats
