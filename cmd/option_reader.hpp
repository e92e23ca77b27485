// OptionReader: turns the words of a command line into numbers, durations and sizes, and keeps the first
// fault.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cmd/command_line.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// Deadlines are added to the clock: a year keeps the sum far from its end, and nobody waits longer.
inline constexpr Duration kLongestDuration = std::chrono::hours(365 * 24);

/// Reads options one by one; the first fault wins and stays. Lifetime: within the values'.
class OptionReader {
 public:
  explicit OptionReader(const Values& values) : values_(values) {}

  /// Each leaves `into` as it is where the option is wrong.
  void duration(std::string_view option, Duration least, Duration& into);
  /// As duration(), and a number without a unit means seconds, as curl has it ("2.5").
  void seconds(std::string_view option, Duration least, Duration& into);

  template <class Integer>
  void count(std::string_view option, std::uint64_t least, std::uint64_t most, Integer& into) {
    if (const auto parsed = parsed_count(option, least, most)) into = static_cast<Integer>(*parsed);
  }
  template <class Integer>
  void size(std::string_view option, std::uint64_t least, std::uint64_t most, Integer& into) {
    if (const auto parsed = parsed_size(option, least, most)) into = static_cast<Integer>(*parsed);
  }

  void wrong(std::string_view option, std::string_view why, Error::Exit exit = Error::Exit::kUsage);
  /// Complains about `option` if `other` is given as well.
  void refuse_together(std::string_view option, std::string_view other);

  bool given(std::string_view option) const { return values_.given(option); }
  std::string_view text(std::string_view option) const { return values_.text(option); }
  std::vector<std::string> all(std::string_view option) const { return values_.all(option); }
  const Values& values() const { return values_; }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  void take(std::string_view option, const Result<Duration>& parsed, Duration least, Duration& into);
  std::optional<std::uint64_t> parsed_count(std::string_view option, std::uint64_t least, std::uint64_t most);
  std::optional<std::uint64_t> parsed_size(std::string_view option, std::uint64_t least, std::uint64_t most);

  const Values& values_;
  std::optional<Error> fault_;
};

}  // namespace h2park::cmd
