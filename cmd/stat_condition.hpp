// Condition: the expression of --until.
//
//   either     = both *( "||" both )
//   both       = single *( "&&" single )
//   single     = "!" single / "(" either ")" / comparison
//   comparison = side ( "<" / "<=" / ">" / ">=" / "==" / "!=" ) side
//   side       = a dotted field name / a number, with a unit if the field on the other side has one / on /
//   off
//
// A comparison with a figure that is null is false, whatever the operator; its negation by "!" is true.
#pragma once

#include "base/error.hpp"
#include "stats/field_path.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// A tree of them; stat_condition.cpp has the kinds.
class ConditionNode;

class Condition {
 public:
  /// Errors: a usage error, "column 12: ...", columns counted from 1.
  static Result<Condition> parse(std::string_view text, const stats::KnownFields& known);

  /// Errors: a usage error for a key that the reading's tally does not have.
  Result<bool> holds(const stats::Reading& reading) const;

  const std::string& text() const { return text_; }
  /// Each once, in the order of the expression.
  const std::vector<stats::FieldPath>& fields() const { return fields_; }
  /// "connections.parked 4200, tasks.live 9"
  std::string values_in(const stats::Reading& reading) const;
  /// True if a field is a rate, which takes two readings.
  bool wants_rates() const;

 private:
  Condition() = default;

  std::string text_;
  std::vector<stats::FieldPath> fields_;
  std::shared_ptr<const ConditionNode> root_;
};

}  // namespace h2park::cmd
