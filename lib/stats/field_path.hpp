// FieldPath: a dotted name as people write it for figures: a field, a key of a tally, a whole tally or group,
// or a counter's rate.
#pragma once

#include "base/error.hpp"
#include "stats/reading.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::stats {

/// Every field that a reading may have: time_field() and a server's fields(), or a process's.
using KnownFields = std::vector<const FieldInfo*>;
const KnownFields& server_fields();

/// "time": when the figures were read, by the reader's clock. Only readings of --watch and --fields have it.
const FieldInfo& time_field();

struct FieldPath {
  std::string text;                  ///< as written
  const FieldInfo* field = nullptr;  ///< nullptr: a whole group
  std::string key = {};              ///< of a tally; "": all of them
  bool per_second = false;           ///< written with "/s"

  /// True if it names exactly one number, whatever the server says.
  bool is_single() const { return field != nullptr && (field->key.empty() || !key.empty()); }
  bool matches(const Entry& entry) const;
};

/// "connections.open", "connections.closed.idle", "connections.closed", "connections", "requests.total/s".
/// Which keys a tally has only a server knows: any is accepted here.
/// Errors: a usage error that quotes the name and lists what is known in its place.
Result<FieldPath> parse_field(std::string_view name, const KnownFields& known);

/// What the paths name, in their order; an entry of null for what the reading does not have.
/// Errors: a usage error for a key that the reading's tally does not have, which lists those it has.
Result<std::vector<Entry>> select(const Reading& reading, std::span<const FieldPath> paths);

}  // namespace h2park::stats
