#include "cmd/get_phases_bar.hpp"

#include "cmd/get_summary.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace h2park::cmd {
namespace {

constexpr std::size_t kWidth = 70;

struct Column {
  std::string_view name;
  char mark;  // in the bar
  Duration length{};
};

using Columns = std::array<Column, 7>;

Columns columns_of(const client::Record& record) {
  const auto length = [&](Phase phase) { return length_of(phase, record.timings); };
  return {{{"dns", 'd', length(Phase::kDns)},
           {"connect", 'c', length(Phase::kConnect)},
           {"tls", 't', length(Phase::kTls)},
           {"send", 's', length(Phase::kSend)},
           {"wait", 'w', length(Phase::kWait)},
           {"read", 'r', length(Phase::kRead)},
           {"drain", '~', record.drain.time}}};
}

/// Each phase as wide as it was long; one that was at all has a mark of its own.
std::string scaled(const Columns& columns) {
  const Duration all =
      std::accumulate(columns.begin(), columns.end(), Duration::zero(),
                      [](Duration sum, const Column& column) { return sum + column.length; });
  std::string bar;
  for (const Column& column : columns) {
    if (column.length <= Duration::zero()) continue;
    const auto share =
        static_cast<std::size_t>(static_cast<double>(kWidth) * (static_cast<double>(column.length.count()) /
                                                                static_cast<double>(all.count())));
    bar.append(std::max<std::size_t>(share, 1), column.mark);
  }
  return bar;
}

std::string connection_line(const client::ConnectionFacts& connection) {
  std::string line = fmt::format("* connection {}", connection.id);
  if (connection.reused) {
    line += fmt::format(", reused after {} of idleness", short_duration(connection.idle));
  } else {
    line += fmt::format(", new ({})", to_string(connection.miss));
  }
  line += fmt::format(", request {} on it", connection.requests);
  if (!connection.remote.empty()) line += fmt::format("; {} -> {}", connection.local, connection.remote);
  return line + "\n";
}

std::string body_line(const client::Record& record) {
  std::string line = fmt::format("* body: {} bytes read", record.body_bytes);
  if (record.drain.result != client::DrainResult::kNone) line += ", " + drain_text(record.drain);
  if (record.drain.bytes > 0) {
    line += fmt::format(" ({} bytes in {})", record.drain.bytes, short_duration(record.drain.time));
  }
  if (record.drain.close != client::CloseReason::kNone) {
    line += fmt::format("; connection closed: {}", to_string(record.drain.close));
  }
  return line + "\n";
}

}  // namespace

std::string phases_bar(const client::Record& record) {
  if (record.connection.id == 0) return {};
  const Columns columns = columns_of(record);
  std::string names = "*";
  std::string lengths = "*";
  for (const Column& column : columns) {
    names += fmt::format("{:>9}", column.name);
    lengths += fmt::format("{:>9}", column.length > Duration::zero() ? short_duration(column.length) : "-");
  }
  names += fmt::format(" |{:>9}\n", "total");
  lengths += fmt::format(" |{:>9}\n", short_duration(length_of(Phase::kTotal, record.timings)));
  return names + lengths + "* [" + scaled(columns) + "]\n" + connection_line(record.connection) +
         body_line(record);
}

}  // namespace h2park::cmd
