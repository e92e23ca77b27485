#include "cmd/stat_condition_parser.hpp"

#include "base/units.hpp"
#include "cmd/stat_condition_words.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace h2park::cmd {
namespace {

using Kind = ConditionWord::Kind;
using Node = std::shared_ptr<const ConditionNode>;
using stats::FieldPath;
using stats::Unit;

// Parentheses and "!" within each other: nobody writes more, and each takes a piece of the stack.
constexpr int kDeepest = 100;

struct Side {
  ConditionWord word;
  std::optional<FieldPath> field;  // nullopt: a number
  double number = 0;

  std::optional<double> in(const stats::Reading& reading) const {
    return field ? reading.number(field->text) : std::optional(number);
  }
};

bool compare(double left, std::string_view symbol, double right) {
  if (symbol == "<") return left < right;
  if (symbol == "<=") return left <= right;
  if (symbol == ">") return left > right;
  if (symbol == ">=") return left >= right;
  return (left == right) == (symbol == "==");
}

class Comparison final : public ConditionNode {
 public:
  Comparison(Side left, std::string_view symbol, Side right)
      : left_(std::move(left)), symbol_(symbol), right_(std::move(right)) {}
  bool holds(const stats::Reading& reading) const override {
    const std::optional<double> left = left_.in(reading);
    const std::optional<double> right = right_.in(reading);
    return left && right && compare(*left, symbol_, *right);
  }

 private:
  Side left_;
  std::string symbol_;
  Side right_;
};

class Negation final : public ConditionNode {
 public:
  explicit Negation(Node inner) : inner_(std::move(inner)) {}
  bool holds(const stats::Reading& reading) const override { return !inner_->holds(reading); }

 private:
  Node inner_;
};

/// "&&" or "||" between any number of conditions.
class Series final : public ConditionNode {
 public:
  Series(std::vector<Node> parts, bool all) : parts_(std::move(parts)), all_(all) {}
  bool holds(const stats::Reading& reading) const override {
    const auto part_holds = [&](const Node& part) { return part->holds(reading); };
    return all_ ? std::ranges::all_of(parts_, part_holds) : std::ranges::any_of(parts_, part_holds);
  }

 private:
  std::vector<Node> parts_;
  bool all_;
};

std::optional<double> plain_number(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A number as one writes it beside a figure of this unit.
Result<double> literal(std::string_view text, Unit unit) {
  if (unit == Unit::kFlag) {
    if (text == "on" || text == "true" || text == "1") return 1;
    if (text == "off" || text == "false" || text == "0") return 0;
    return usage_error("'" + std::string(text) + "' is not on or off");
  }
  if (const auto number = plain_number(text)) return *number;
  if (unit == Unit::kBytes) {
    const auto size = parse_size(text);
    if (!size) return std::unexpected(size.error());
    return static_cast<double>(*size);
  }
  if (unit == Unit::kSeconds) {
    const auto duration = parse_duration(text);
    if (!duration) return std::unexpected(duration.error());
    return std::chrono::duration<double>(*duration).count();
  }
  return usage_error("'" + std::string(text) + "' is not a number, which this field is, without a unit");
}

/// Recursive descent; each function takes what its name says off the front of the words.
class Parser {
 public:
  Parser(std::vector<ConditionWord> words, const stats::KnownFields& known)
      : words_(std::move(words)), known_(known) {}

  Result<ParsedCondition> all() {
    auto root = either();
    if (!root) return std::unexpected(root.error());
    if (word().kind != Kind::kEnd) return unexpected("&& or ||");
    return ParsedCondition{.root = std::move(*root), .fields = std::move(fields_)};
  }

 private:
  Result<Node> either() {
    return series("||", false, [this] { return both(); });
  }
  Result<Node> both() {
    return series("&&", true, [this] { return single(); });
  }

  Result<Node> series(std::string_view symbol, bool all, auto part) {
    std::vector<Node> parts;
    do {
      auto next = part();
      if (!next) return next;
      parts.push_back(std::move(*next));
    } while (take(symbol));
    if (parts.size() == 1) return parts.front();
    return std::make_shared<Series>(std::move(parts), all);
  }

  Result<Node> single() {
    if (depth_ == kDeepest) return condition_error(word().column, "too many parentheses within each other");
    if (take("!")) {
      auto inner = nested([this] { return single(); });
      if (!inner) return inner;
      return std::make_shared<Negation>(std::move(*inner));
    }
    if (!take("(")) return comparison();
    auto inner = nested([this] { return either(); });
    if (!inner) return inner;
    if (!take(")")) return unexpected("')'");
    return inner;
  }

  Result<Node> nested(auto parse) {
    ++depth_;
    auto inner = parse();
    --depth_;
    return inner;
  }

  Result<Node> comparison() {
    auto left = side();
    if (!left) return std::unexpected(left.error());
    const std::string_view symbol = word().kind == Kind::kSymbol ? word().text : "";
    if (symbol.find_first_of("<>=") == std::string_view::npos) return unexpected("<, <=, >, >=, == or !=");
    ++at_;
    auto right = side();
    if (!right) return std::unexpected(right.error());
    if (!left->field && !right->field) {
      return condition_error(left->word.column, "one side of a comparison has to be a field");
    }
    for (auto [number, other] : {std::pair(&*left, &*right), std::pair(&*right, &*left)}) {
      if (number->field) continue;
      const auto value = literal(number->word.text, unit_of(*other->field));
      if (!value) return condition_error(number->word.column, value.error().message);
      number->number = *value;
    }
    return std::make_shared<Comparison>(std::move(*left), symbol, std::move(*right));
  }

  static Unit unit_of(const FieldPath& path) {
    // Seconds per second are a number.
    return path.per_second && path.field->unit == Unit::kSeconds ? Unit::kCount : path.field->unit;
  }

  Result<Side> side() {
    const ConditionWord here = word();
    const bool flag = here.text == "on" || here.text == "off" || here.text == "true" || here.text == "false";
    if (here.kind != Kind::kNumber && here.kind != Kind::kName) return unexpected("a field or a number");
    ++at_;
    if (here.kind == Kind::kNumber || flag) return Side{.word = here, .field = std::nullopt};
    auto path = stats::parse_field(here.text, known_);
    if (!path) return condition_error(here.column, path.error().message);
    if (!path->is_single()) {
      return condition_error(here.column, "'" + path->text + "' has several figures: name one of them");
    }
    if (path->field->unit == Unit::kText) {
      return condition_error(here.column, "'" + path->text + "' is a text: only numbers are compared");
    }
    if (std::ranges::find(fields_, path->text, &FieldPath::text) == fields_.end()) fields_.push_back(*path);
    return Side{.word = here, .field = std::move(*path)};
  }

  const ConditionWord& word() const { return words_[at_]; }
  bool take(std::string_view symbol) {
    if (!word().is(symbol)) return false;
    ++at_;
    return true;
  }
  std::unexpected<Error> unexpected(const std::string& wanted) const {
    const std::string found =
        word().kind == Kind::kEnd ? "the expression ends" : "'" + std::string(word().text) + "'";
    return condition_error(word().column, found + " where " + wanted + " is expected");
  }

  std::vector<ConditionWord> words_;
  const stats::KnownFields& known_;
  std::vector<FieldPath> fields_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<ParsedCondition> parse_condition(std::string_view text, const stats::KnownFields& known) {
  auto words = condition_words(text);
  if (!words) return std::unexpected(words.error());
  return Parser(std::move(*words), known).all();
}

}  // namespace h2park::cmd
