// Expected failures as values.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace h2park {

/// Why a command could not go on: one line for a person, and how the process ends.
struct Error {
  /// What scripts see.
  enum class Exit : int {
    kFailure = 1,  ///< the world said no
    kUsage = 2,    ///< the command line is wrong, nothing was started
    // `get` has curl's codes; those of a transfer are client::exit_code()'s.
    kBadUrl = 3,
    kNotInstalled = 4,      ///< a program that an option needs is missing
    kWriteFailed = 23,      ///< a file or standard output
    kReadFailed = 26,       ///< a file that an option names
    kBadCertificate = 58,   ///< the own certificate or key
    kBadTrustAnchors = 77,  ///< --cacert, --capath
  };

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
