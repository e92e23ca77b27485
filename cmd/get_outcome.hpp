// Outcome: one request when it is over, as the reports of `get` see it.
#pragma once

#include "client/record.hpp"
#include "http/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::cmd {

/// Why a request counts as failed. What the client does not know is added: --fail and files.
struct Fault {
  int exit_code = 0;
  std::string_view cause;  ///< a word of the man page: "connect", "http_error", "write"
  std::string message;
};

struct Outcome {
  const client::Record& record;
  std::string_view written;              ///< the URL as it was given
  std::string_view file;                 ///< that the body went to, or ""
  std::uint64_t url_number = 0;          ///< on the command line, from 0
  TimePoint due{};                       ///< when it should have begun; its start unless --rate
  std::string_view referer;              ///< as sent
  const http::Fields* fields = nullptr;  ///< of the last response, where somebody wants them
  std::optional<Fault> fault;
};

/// `own`, which came up while the body was written; else the client's failure; else --fail's.
std::optional<Fault> fault_of(const client::Record& record, bool fail_on_status,
                              const std::optional<Fault>& own);
Fault write_fault(std::string message);
Fault decoding_fault(std::string message);

/// "complete", "not_reusable:connection_close", "".
std::string drain_text(const client::DrainFacts& drain);

/// A phase of a request, as they are reported.
enum class Phase : std::uint8_t { kDns, kConnect, kTls, kSend, kWait, kFirstByte, kRead, kTotal };
inline constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::kTotal) + 1;
std::string_view to_string(Phase phase);
/// Zero for one that did not happen.
Duration length_of(Phase phase, const client::Timings& timings);

}  // namespace h2park::cmd
