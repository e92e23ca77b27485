#include "cmd/option_reader.hpp"

#include "base/units.hpp"

namespace h2park::cmd {
namespace {

bool is_plain_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

void OptionReader::duration(std::string_view option, Duration least, Duration& into) {
  take(option, parse_duration(values_.text(option)), least, into);
}

void OptionReader::seconds(std::string_view option, Duration least, Duration& into) {
  const std::string text(values_.text(option));
  Result<Duration> parsed = parse_duration(is_plain_number(text) ? text + "s" : text);
  if (!parsed && is_plain_number(text)) parsed = parse_duration(text);  // complains of what was written
  take(option, parsed, least, into);
}

void OptionReader::take(std::string_view option, const Result<Duration>& parsed, Duration least,
                        Duration& into) {
  if (!parsed) return wrong(option, parsed.error().message);
  if (*parsed < least) return wrong(option, "must be at least " + format_duration(least));
  if (*parsed > kLongestDuration) {
    return wrong(option, "'" + std::string(values_.text(option)) + "' is too long (at most a year)");
  }
  into = *parsed;
}

std::optional<std::uint64_t> OptionReader::parsed_count(std::string_view option, std::uint64_t least,
                                                        std::uint64_t most) {
  const auto parsed = parse_count(values_.text(option), least, most);
  if (parsed) return *parsed;
  wrong(option, parsed.error().message);
  return std::nullopt;
}

std::optional<std::uint64_t> OptionReader::parsed_size(std::string_view option, std::uint64_t least,
                                                       std::uint64_t most) {
  const std::string_view text = values_.text(option);
  const auto parsed = parse_size(text);
  if (!parsed) {
    wrong(option, parsed.error().message);
  } else if (*parsed < least) {
    wrong(option, "'" + std::string(text) + "' is too small (at least " + format_size(least) + ")");
  } else if (*parsed > most) {
    wrong(option, "'" + std::string(text) + "' is too large (at most " + format_size(most) + ")");
  } else {
    return *parsed;
  }
  return std::nullopt;
}

void OptionReader::wrong(std::string_view option, std::string_view why, Error::Exit exit) {
  if (!fault_) fault_ = Error{complaint(values_.spec(), option, why), exit};
}

void OptionReader::refuse_together(std::string_view option, std::string_view other) {
  if (given(option) && given(other)) wrong(option, "does not go with --" + std::string(other));
}

}  // namespace h2park::cmd
