// Expected failures as values.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace h2park {

/// Why a command could not go on: one line for a person, and how the process ends.
struct Error {
  /// What scripts see. kUsage: the command line is wrong, nothing was started. kFailure: the world said no.
  enum class Exit : int { kFailure = 1, kUsage = 2 };

  std::string message;  ///< One line, no full stop, names the thing and the system's reason.
  Exit exit = Exit::kFailure;
};

template <class T = void>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message) { return std::unexpected(Error{std::move(message)}); }
inline std::unexpected<Error> usage_error(std::string message) {
  return std::unexpected(Error{std::move(message), Error::Exit::kUsage});
}
/// "what: strerror(errno)".
std::unexpected<Error> system_failure(std::string what, int error_number);

}  // namespace h2park
