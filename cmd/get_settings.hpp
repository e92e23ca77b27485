// What `h2park get` was told, checked.
#pragma once

#include "base/error.hpp"
#include "client/cookie_jar.hpp"
#include "client/network_dialer.hpp"
#include "client/options.hpp"
#include "client/request.hpp"
#include "client/url.hpp"
#include "cmd/command_line.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// Where a URL's body goes.
struct GetPlace {
  enum class Kind : std::uint8_t { kNowhere, kStandardOutput, kFile };
  Kind kind = Kind::kStandardOutput;
  std::string file;  ///< for kFile
  bool operator==(const GetPlace&) const = default;
};

struct GetTarget {
  std::string written;      ///< the URL as it stands on the command line
  client::Request request;  ///< complete: a request of it is a copy
  GetPlace place;
};

enum class GetFormat : std::uint8_t { kText, kJson };

/// How often and how fast.
struct GetPace {
  std::uint64_t requests = 0;        ///< in all; unlimited if only a duration is given
  std::optional<Duration> duration;  ///< none begins later than this
  unsigned concurrency = 1;
  Duration interval{};  ///< between two requests, over all workers; 0: as fast as answers come
  Duration think{};
};

struct GetSettings {
  std::vector<GetTarget> targets;  ///< at least one
  GetPace pace;
  client::Options client;
  client::NetworkOptions network;
  std::shared_ptr<client::CookieJar> cookies;  ///< client.cookies; null: none

  bool repeated = false;  ///< -n above 1, or -z: a summary in place of bodies
  bool compressed = false;
  bool fail = false;
  bool include = false;
  bool head = false;
  bool silent = false;
  bool show_errors = true;  ///< false: --silent without --show-error
  bool verbose = false;
  GetFormat format = GetFormat::kText;
  std::string write_out;
  std::string referer;  ///< as sent
  std::string plot;     ///< "": none
};

/// `variable(name)` is getenv.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// Reads every option and the files that options name with '@'; checks how they go together. Sends nothing.
/// Errors: a usage error, the whole line after "h2park: "; kBadUrl, kReadFailed, kWriteFailed (no file name
/// for --remote-name) where curl has a code.
Result<GetSettings> parse_get(const Values& values, const Environment& environment);

}  // namespace h2park::cmd
