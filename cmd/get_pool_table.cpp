// The options of `h2park get`: repetition, connections and TLS. Names and letters are curl's where curl has
// the option.
#include "cmd/get_options.hpp"

namespace h2park::cmd {

void add_repetition(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Repetition";
  options.push_back(
      {.name = "requests",
       .letter = 'n',
       .value = "COUNT",
       .section = kSection,
       .help = "Make COUNT requests in all, the URLs by turns, and print a summary in place of the bodies. "
               "Default: each URL once."});
  options.push_back({.name = "concurrency",
                     .letter = 'c',
                     .value = "N",
                     .fallback = "1",
                     .section = kSection,
                     .help = "Requests under way at once. Needs --requests or --duration."});
  options.push_back(
      {.name = "duration",
       .letter = 'z',
       .value = "DUR",
       .section = kSection,
       .help = "Begin requests for this long. What is under way then has one second to end and is given up "
               "afterwards, which counts as cancelled, not as a failure."});
  options.push_back(
      {.name = "rate",
       .letter = 'q',
       .value = "RATE",
       .section = kSection,
       .help = "Requests per second in all, evenly spaced; also N/m and N/h. A request that is late because "
               "the ones before it were slow is begun as soon as it can be; see LATENCY."});
  options.push_back({.name = "think",
                     .value = "DUR",
                     .fallback = "0",
                     .section = kSection,
                     .help = "Pause between an answer and the next request of the same worker."});
}

void add_reuse(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Bodies and connections";
  options.push_back(
      {.name = "read",
       .value = "all|none|BYTES",
       .section = kSection,
       .help =
           "How much of a body is read before it is closed. Default: all; none when requests are repeated "
           "without --output."});
  options.push_back({.name = "drain-bytes",
                     .value = "SIZE",
                     .fallback = "256KiB",
                     .section = kSection,
                     .help =
                         "The rest of a closed body is read in the background, up to this much, so that its "
                         "connection can be used again."});
  options.push_back({.name = "drain-time",
                     .value = "DUR",
                     .fallback = "50ms",
                     .section = kSection,
                     .help = "And for at most this long. No request waits for it."});
  options.push_back({.name = "no-drain",
                     .section = kSection,
                     .help = "Close the connection of an unread body, as many clients do: for comparison."});
  options.push_back({.name = "max-idle",
                     .value = "N",
                     .fallback = "100",
                     .section = kSection,
                     .help = "Idle connections kept, over all origins. 0: none is used twice."});
  options.push_back({.name = "idle-timeout",
                     .value = "DUR",
                     .fallback = "90s",
                     .section = kSection,
                     .help = "How long an idle connection is kept."});
}

void add_connecting(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Connecting";
  options.push_back({.name = "ipv4", .letter = '4', .section = kSection, .help = "IPv4 addresses only."});
  options.push_back({.name = "ipv6", .letter = '6', .section = kSection, .help = "IPv6 addresses only."});
  options.push_back({.name = "resolve",
                     .value = "HOST:PORT:ADDR[,ADDR]",
                     .section = kSection,
                     .help = "Use these addresses for HOST and PORT; HOST may be '*'.",
                     .repeatable = true});
  options.push_back({.name = "connect-to",
                     .value = "HOST1:PORT1:HOST2:PORT2",
                     .section = kSection,
                     .help = "Connect to HOST2 and PORT2 for requests to HOST1 and PORT1; each may be empty.",
                     .repeatable = true});
  options.push_back({.name = "unix-socket",
                     .value = "PATH",
                     .section = kSection,
                     .help = "Connect through this unix socket.",
                     .completion = Completion::kFile});
  options.push_back({.name = "connect-timeout",
                     .value = "DUR",
                     .fallback = "5m",
                     .section = kSection,
                     .help = "For name, TCP, proxy and TLS together. 0: the default."});
  options.push_back({.name = "proxy",
                     .letter = 'x',
                     .value = "URL",
                     .section = kSection,
                     .help = "An HTTP proxy for every URL; '' for none, whatever the environment says.",
                     .any_text = true});
  options.push_back({.name = "noproxy",
                     .value = "LIST",
                     .section = kSection,
                     .help = "Hosts to reach without a proxy, separated by commas; '*' is all.",
                     .any_text = true});
}

void add_tls(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "TLS";
  options.push_back({.name = "insecure",
                     .letter = 'k',
                     .section = kSection,
                     .help = "Do not verify the server's certificate."});
  options.push_back({.name = "cacert",
                     .value = "FILE",
                     .section = kSection,
                     .help = "Trust the certificates in FILE, PEM, in place of the system's.",
                     .completion = Completion::kFile});
  options.push_back({.name = "capath",
                     .value = "DIR",
                     .section = kSection,
                     .help = "Trust the certificates in DIR, named by c_rehash(1).",
                     .completion = Completion::kDirectory});
  options.push_back({.name = "cert",
                     .letter = 'E',
                     .value = "FILE",
                     .section = kSection,
                     .help = "The own certificate chain, PEM; its key too, unless --key says where that is.",
                     .completion = Completion::kFile});
  options.push_back({.name = "key",
                     .value = "FILE",
                     .section = kSection,
                     .help = "The own private key, PEM.",
                     .completion = Completion::kFile});
}

}  // namespace h2park::cmd
