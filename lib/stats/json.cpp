#include "stats/json.hpp"

#include "stats/decimal.hpp"
#include "stats/fields.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>

namespace h2park::stats {
namespace {

namespace json = boost::json;

/// Writes nested objects. Boost.JSON's serializer is not used for the numbers: it writes 1.5 as 1.5E0.
class Writer {
 public:
  void key(std::string_view name) {
    if (!empty_) text_ += ',';
    empty_ = false;
    append_string(name);
    text_ += ':';
  }
  void begin() {
    text_ += '{';
    empty_ = true;
  }
  void end() {
    empty_ = false;
    text_ += '}';
  }

  void value(const Figure& figure) { figure ? number(*figure) : null(); }
  void value(const Seconds& seconds) { seconds&& std::isfinite(*seconds) ? number(*seconds) : null(); }
  void value(const Flag& flag) { flag ? void(text_ += *flag ? "true" : "false") : null(); }
  void value(const std::optional<std::string>& string) { string ? append_string(*string) : null(); }
  void value(const Tally& tally) {
    if (!tally) return null();
    begin();
    for (const auto& [name, count] : *tally) {
      key(name);
      number(count);
    }
    end();
  }

  void value(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) {
      return std::isfinite(*real) ? number(*real) : null();
    }
    if (const auto* text = std::get_if<std::string>(&value)) return append_string(*text);
    const auto* flag = std::get_if<bool>(&value);
    text_ += is_null(value) ? "null" : flag != nullptr ? (*flag ? "true" : "false") : decimal(value);
  }

  std::string take() { return std::move(text_) + '\n'; }

 private:
  void null() { text_ += "null"; }
  void number(std::uint64_t number) { text_ += std::to_string(number); }
  void number(double number) { text_ += decimal(number); }
  void append_string(std::string_view string) { text_ += json::serialize(json::string_view(string)); }

  std::string text_;
  bool empty_ = true;  // nothing yet in the innermost object
};

/// Objects by the names that lead to a value, in the order of their first appearance.
struct Branch {
  std::string name;
  const Value* value = nullptr;
  std::vector<Branch> inner = {};

  Branch& child(std::string_view wanted) {
    const auto found = std::ranges::find(inner, wanted, &Branch::name);
    return found != inner.end() ? *found : inner.emplace_back(Branch{.name = std::string(wanted)});
  }
  void write(Writer& writer) const {
    if (value != nullptr) return writer.value(*value);
    writer.begin();
    for (const Branch& branch : inner) {
      writer.key(branch.name);
      branch.write(writer);
    }
    writer.end();
  }
};

Figure to_figure(const json::value& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a double counts no longer
  if (value.is_double() && value.get_double() >= 0 && value.get_double() <= kExact) {
    return static_cast<std::uint64_t>(std::llround(value.get_double()));
  }
  return std::nullopt;
}

void read_into(Figure& out, const json::value& value) { out = to_figure(value); }
void read_into(Seconds& out, const json::value& value) {
  if (value.is_number()) out = value.to_number<double>();
}
void read_into(Flag& out, const json::value& value) {
  if (value.is_bool()) out = value.get_bool();
}
void read_into(std::optional<std::string>& out, const json::value& value) {
  if (value.is_string()) out = std::string(std::string_view(value.get_string()));
}
void read_into(Tally& out, const json::value& value) {
  if (!value.is_object()) return;
  out.emplace();
  for (const auto& [name, count] : value.get_object()) {
    if (const Figure figure = to_figure(count)) out->emplace_back(std::string_view(name), *figure);
  }
}

const json::value* find(const json::object& root, const Field& field) {
  if (field.group.empty()) return root.if_contains(field.name);
  const json::value* group = root.if_contains(field.group);
  return group != nullptr && group->is_object() ? group->get_object().if_contains(field.name) : nullptr;
}

/// What every version has: other programs answer /stats.json too.
bool is_h2park(const json::object& root) {
  const auto has_object = [&](std::string_view name) {
    const json::value* value = root.if_contains(name);
    return value != nullptr && value->is_object();
  };
  const json::value* version = root.if_contains("version");
  return version != nullptr && version->is_string() && has_object("connections") && has_object("tasks");
}

}  // namespace

std::string to_json(const Snapshot& snapshot) {
  Writer writer;
  writer.begin();
  std::string_view group;
  for (const Field& field : fields()) {
    if (field.group != group) {
      if (!group.empty()) writer.end();
      writer.key(field.group);
      writer.begin();
      group = field.group;
    }
    writer.key(field.name);
    std::visit([&](const auto& place) { writer.value(place.read(snapshot)); }, field.place);
  }
  writer.end();
  writer.end();
  return writer.take();
}

std::string to_json(std::span<const Entry> entries) {
  Branch root;
  for (const Entry& entry : entries) {
    Branch* branch = entry.field->group.empty() ? &root : &root.child(entry.field->group);
    const std::string rate = entry.per_second ? "/s" : "";
    if (entry.key.empty()) {
      branch = &branch->child(std::string(entry.field->name) + rate);
    } else {
      branch = &branch->child(entry.field->name).child(entry.key + rate);
    }
    branch->value = &entry.value;
  }
  Writer writer;
  root.write(writer);
  return writer.take();
}

Result<Snapshot> from_json(std::string_view text) {
  boost::system::error_code error;
  const json::value root = json::parse(json::string_view(text), error);
  if (error) return fail("not JSON: " + error.message());
  if (!root.is_object() || !is_h2park(root.get_object())) return fail("not the statistics of h2park");
  Snapshot snapshot;
  for (const Field& field : fields()) {
    const json::value* value = find(root.get_object(), field);
    if (value == nullptr) continue;
    std::visit([&](const auto& place) { read_into(place.edit(snapshot), *value); }, field.place);
  }
  return snapshot;
}

}  // namespace h2park::stats
