// The tree of a --until expression, and how its text becomes one (the grammar stands in stat_condition.hpp).
#pragma once

#include "base/error.hpp"
#include "stats/field_path.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace h2park::cmd {

class ConditionNode {
 public:
  virtual ~ConditionNode() = default;
  virtual bool holds(const stats::Reading& reading) const = 0;
};

struct ParsedCondition {
  std::shared_ptr<const ConditionNode> root;
  std::vector<stats::FieldPath> fields;
};

/// Errors: a usage error, "column 12: ...".
Result<ParsedCondition> parse_condition(std::string_view text, const stats::KnownFields& known);

}  // namespace h2park::cmd
