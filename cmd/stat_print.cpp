#include "cmd/stat_print.hpp"

#include "readout/stats_reader.hpp"
#include "stats/text.hpp"

#include <cerrno>
#include <cstdio>

namespace h2park::cmd {

Result<> run_stat(const net::Endpoint& endpoint, StatFormat format) {
  const auto answer = readout::read_stats(endpoint);
  if (!answer) return std::unexpected(answer.error());
  const std::string text = format == StatFormat::kJson ? answer->json : stats::to_text(answer->snapshot);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return system_failure("cannot write to standard output", errno);
  }
  return {};
}

}  // namespace h2park::cmd
