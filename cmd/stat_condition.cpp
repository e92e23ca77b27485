#include "cmd/stat_condition.hpp"

#include "cmd/stat_condition_parser.hpp"
#include "stats/text.hpp"

#include <algorithm>

namespace h2park::cmd {

Result<Condition> Condition::parse(std::string_view text, const stats::KnownFields& known) {
  auto parsed = parse_condition(text, known);
  if (!parsed) return std::unexpected(parsed.error());
  Condition condition;
  condition.text_ = text;
  condition.fields_ = std::move(parsed->fields);
  condition.root_ = std::move(parsed->root);
  return condition;
}

Result<bool> Condition::holds(const stats::Reading& reading) const {
  const auto known = stats::select(reading, fields_);
  if (!known) return std::unexpected(known.error());
  return root_->holds(reading);
}

std::string Condition::values_in(const stats::Reading& reading) const {
  std::string out;
  for (const stats::FieldPath& field : fields_) {
    const stats::Entry* entry = reading.find(field.text);
    if (!out.empty()) out += ", ";
    out += field.text + " " + (entry != nullptr ? stats::exact_text(*entry) : "-");
  }
  return out;
}

bool Condition::wants_rates() const { return std::ranges::any_of(fields_, &stats::FieldPath::per_second); }

}  // namespace h2park::cmd
