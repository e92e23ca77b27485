#include "handlers/static_files_conditions.hpp"

#include "http/date_reader.hpp"

#include <algorithm>
#include <optional>

namespace h2park::handlers {
namespace {

enum class Comparison : std::uint8_t { kStrong, kWeak };

// Takes one entity tag off a list: optional "W/", then a quoted string without escapes (RFC 9110 8.8.3). What
// is no tag is skipped up to the next comma and given as "".
std::string_view take_tag(std::string_view& list) {
  list.remove_prefix(std::min(list.find_first_not_of(" \t,"), list.size()));
  const std::size_t open = list.starts_with("W/\"") ? 2 : 0;
  if (list.size() > open && list[open] == '"') {
    const auto close = list.find('"', open + 1);
    if (close != std::string_view::npos) {
      const std::string_view tag = list.substr(0, close + 1);
      list.remove_prefix(tag.size());
      return tag;
    }
  }
  list.remove_prefix(std::min(list.find(','), list.size()));
  return {};
}

bool list_has(std::string_view list, std::string_view etag, Comparison comparison) {
  while (!list.empty()) {
    std::string_view tag = take_tag(list);
    // The file's own tag is strong: only the client's can be weak.
    if (comparison == Comparison::kWeak && tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag) return true;
  }
  return false;
}

// "*" matches: the file exists.
bool any_field_has(const http::Fields& fields, std::string_view name, std::string_view etag,
                   Comparison comparison) {
  return std::ranges::any_of(fields.begin(), fields.end(), [&](const http::Field field) {
    return field.name == name && (field.value == "*" || list_has(field.value, etag, comparison));
  });
}

std::optional<std::chrono::sys_seconds> date_in(const http::Fields& fields, std::string_view name,
                                                const Validators& file) {
  // Two of them mean nothing.
  if (fields.count(name) != 1) return std::nullopt;
  return http::parse_date(*fields.find(name), file.now);
}

}  // namespace

Verdict check_conditions(const http::Fields& fields, const Validators& file) {
  if (fields.find("if-match")) {
    if (!any_field_has(fields, "if-match", file.etag, Comparison::kStrong))
      return Verdict::kPreconditionFailed;
  } else if (const auto since = date_in(fields, "if-unmodified-since", file)) {
    if (file.modified > *since) return Verdict::kPreconditionFailed;
  }
  if (fields.find("if-none-match")) {
    if (any_field_has(fields, "if-none-match", file.etag, Comparison::kWeak)) return Verdict::kNotModified;
  } else if (const auto since = date_in(fields, "if-modified-since", file)) {
    if (file.modified <= *since) return Verdict::kNotModified;
  }
  return Verdict::kGo;
}

bool range_may_apply(const http::Fields& fields, const Validators& file) {
  const auto condition = fields.find("if-range");
  if (!condition) return true;
  if (fields.count("if-range") != 1) return false;
  if (condition->starts_with('"') || condition->starts_with("W/")) return *condition == file.etag;
  // A date is strong only if the file cannot have changed twice within its second.
  const auto date = http::parse_date(*condition, file.now);
  return date && *date == file.modified && file.now - file.modified >= std::chrono::seconds(1);
}

}  // namespace h2park::handlers
