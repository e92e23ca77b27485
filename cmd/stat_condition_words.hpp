// The words of a --until expression, each with its column.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

struct ConditionWord {
  enum class Kind { kName, kNumber, kSymbol, kEnd };
  Kind kind;
  std::string_view text;
  std::size_t column;  ///< of its first character, from 1

  bool is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
};

/// The last word is kEnd. Lifetime: `text`'s.
/// Errors: a usage error for a character that begins nothing, "column 12: ...".
Result<std::vector<ConditionWord>> condition_words(std::string_view text);

std::unexpected<Error> condition_error(std::size_t column, const std::string& why);

}  // namespace h2park::cmd
