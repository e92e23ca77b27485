// The options of `h2park serve`.
#include "cmd/serve_manual.hpp"

namespace h2park::cmd {
namespace {

void add_listening(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Listening";
  options.push_back(
      {.name = "listen",
       .letter = 'l',
       .value = "HOST:PORT",
       .fallback = "127.0.0.1:8080",
       .section = kSection,
       .help = "Accept HTTP/2 by prior knowledge and HTTP/1.1 here, told apart by the first bytes. Also "
               "[IPV6]:PORT ([::]:PORT takes IPv4 too), a port alone (on 127.0.0.1) and unix:PATH; port "
               "0 is any free one. With --tls-listen the default falls away: name a plain address to "
               "have one.",
       .repeatable = true});
  options.push_back(
      {.name = "tls-listen",
       .value = "HOST:PORT",
       .section = kSection,
       .help = "Accept TLS 1.2 and 1.3 here, with HTTP/2 or HTTP/1.1 as ALPN decides. Needs --cert and "
               "--key, or --self-signed. Without --listen nothing is served in plain text.",
       .repeatable = true});
  options.push_back(
      {.name = "cert",
       .value = "FILE",
       .section = kSection,
       .help = "Certificate chain, PEM, the server's own certificate first. SIGHUP reads it again.",
       .completion = Completion::kFile});
  options.push_back({.name = "key",
                     .value = "FILE",
                     .section = kSection,
                     .help = "Private key of the certificate, PEM.",
                     .completion = Completion::kFile});
  options.push_back(
      {.name = "self-signed",
       .section = kSection,
       .help = "Make a key and a certificate for this run and print its SHA-256 fingerprint, in place "
               "of --cert and --key."});
  options.push_back(
      {.name = "max-connections",
       .value = "N",
       .section = kSection,
       .help = "Connections open at once; one more is closed as soon as it is accepted. Default: the "
               "limit of open files less 64."});
  options.push_back({.name = "threads",
                     .letter = 't',
                     .value = "N",
                     .section = kSection,
                     .help =
                         "Serving threads. Default: the processors that affinity and the cgroup's CPU quota "
                         "allow."});
}

void add_parking(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Parking";
  options.push_back({.name = "park",
                     .value = "on|off",
                     .fallback = "on",
                     .section = kSection,
                     .help =
                         "Park idle connections. With off each keeps a coroutine waiting on its socket, as a "
                         "conventional server does: for comparison.",
                     .choices = {"on", "off"}});
  options.push_back({.name = "park-after",
                     .value = "DUR",
                     .fallback = "0",
                     .section = kSection,
                     .help = "How long a connection has nothing to do before it is parked. 0: at once."});
  options.push_back(
      {.name = "freeze-after",
       .value = "DUR|never",
       .fallback = "1s",
       .section = kSection,
       .help = "How long a connection is parked before its state is packed to a few hundred bytes and "
               "its pages are given back. It is unpacked when something wakes it. A client that wakes its "
               "connection "
               "soon after each time doubles this time for its connection, up to a minute."});
}

void add_limits(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Limits";
  options.push_back({.name = "max-streams",
                     .value = "N",
                     .fallback = "250",
                     .section = kSection,
                     .help = "Concurrent HTTP/2 streams, and running handlers, of one connection."});
  options.push_back(
      {.name = "max-header-bytes",
       .value = "SIZE",
       .fallback = "64KiB",
       .section = kSection,
       .help = "A request's header, each field counted as name, value and 32 bytes; a larger one is "
               "answered 431."});
  options.push_back({.name = "max-header-fields",
                     .value = "N",
                     .fallback = "100",
                     .section = kSection,
                     .help = "Fields in a request's header; more are answered 431."});
  options.push_back({.name = "max-body-bytes",
                     .value = "SIZE",
                     .fallback = "64MiB",
                     .section = kSection,
                     .help = "A request body that /upload and /echo take; a larger one is answered 413."});
}

void add_timeouts(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Timeouts";
  options.push_back({.name = "handshake-timeout",
                     .value = "DUR",
                     .fallback = "10s",
                     .section = kSection,
                     .help = "For the TLS handshake, from accepting."});
  options.push_back(
      {.name = "preface-timeout",
       .value = "DUR",
       .fallback = "10s",
       .section = kSection,
       .help = "For the first bytes of a connection, HTTP/2's preface and first SETTINGS, and for the "
               "acknowledgement of ours."});
  options.push_back({.name = "header-timeout",
                     .value = "DUR",
                     .fallback = "10s",
                     .section = kSection,
                     .help = "For a request's header, from its first byte to its last."});
  options.push_back(
      {.name = "idle-timeout",
       .value = "DUR",
       .fallback = "3m",
       .section = kSection,
       .help = "A connection without a request, parked or not, is closed after this; a request body "
               "that stops coming for as long ends its request."});
  options.push_back({.name = "write-timeout",
                     .value = "DUR",
                     .fallback = "30s",
                     .section = kSection,
                     .help = "A client that takes nothing of what is queued for it is cut off after this."});
  options.push_back(
      {.name = "grace",
       .value = "DUR",
       .fallback = "10s",
       .section = kSection,
       .help = "After SIGTERM or SIGINT, how long streams may finish before they are cancelled."});
}

void add_content_and_reports(std::vector<OptionSpec>& options) {
  constexpr std::string_view kContent = "Content";
  options.push_back(
      {.name = "root",
       .value = "DIR",
       .section = kContent,
       .help = "Serve the files below DIR at /, in place of the built-in routes. Nothing outside DIR, "
               "through symbolic links or otherwise, and no dot files.",
       .completion = Completion::kDirectory});
  constexpr std::string_view kReports = "Logs and statistics";
  options.push_back({.name = "access-log",
                     .value = "off|text|json",
                     .fallback = "text",
                     .section = kReports,
                     .help =
                         "One line per request. When the disk is slower than the requests, lines are dropped "
                         "and counted; serving never waits.",
                     .choices = {"off", "text", "json"}});
  options.push_back(
      {.name = "access-log-file",
       .value = "FILE",
       .section = kReports,
       .help = "Append the access log to FILE in place of standard output; SIGUSR1 opens it again.",
       .completion = Completion::kFile});
  options.push_back({.name = "stats",
                     .value = "HOST:PORT",
                     .fallback = "127.0.0.1:8081",
                     .section = kReports,
                     .help = "Where the dashboard (/), /stats.json, /metrics and /healthz answer; unix:PATH "
                             "too, or off. Anything "
                             "but a loopback address or a unix socket needs --stats-token."});
  options.push_back(
      {.name = "stats-token",
       .value = "TOKEN|@FILE",
       .section = kReports,
       .help = "What a request for statistics has to show: 'Authorization: Bearer TOKEN', or in a browser "
               "TOKEN as the password for any user name. /healthz is for everybody. @FILE reads the token "
               "from the first line of a file, which keeps it out of the process list.",
       .completion = Completion::kFile});
  options.push_back({.name = "log-level",
                     .value = "error|warn|info|debug",
                     .fallback = "info",
                     .section = kReports,
                     .help = "What the server says of itself on standard error.",
                     .choices = {"error", "warn", "info", "debug"}});
}

}  // namespace

CommandSpec serve_command() {
  CommandSpec spec{
      .name = "serve",
      .summary = "serve HTTP/2 and HTTP/1.1, parking idle connections",
      .description =
          {"Serves HTTP/2, by prior knowledge in plain text and by ALPN over TLS, and HTTP/1.1 on the same "
           "ports. "
           "Without --root it answers a set of built-in routes for scripts and load tests; / lists them.",
           "A connection with nothing to do is parked: no coroutine and no buffer of it is left, only its "
           "protocol "
           "state, its deadlines and its socket. Anything that concerns it wakes it: bytes from the client, "
           "a "
           "handler's answer or event, a body being read, a timer, the server's shutdown.",
           "DUR is a duration: 50ms, 1.5s, 1m30s, 2h, or 0. SIZE is a number of bytes, or has a unit: 64KiB "
           "and 1MiB "
           "are powers of 1024 (64K and 1M too), 1MB is a million."},
      .options = {},
      .more = {serve_statistics(), serve_signals(), serve_environment()},
      .exit_codes = {{"0", "Stopped by a signal."},
                     {"1",
                      "Could not start or go on: a port in use, a certificate that does not match its key, a "
                      "directory that is not there."},
                     {"2", "The command line is wrong. Nothing was started."},
                     {"128+N", "Ended at once by a second signal, number N."}},
      .examples = {{"h2park serve --listen '[::]:8080' --threads 2", "Serve IPv6 and IPv4 with two threads."},
                   {"h2park serve --tls-listen 127.0.0.1:8443 --self-signed",
                    "Serve TLS only, with a certificate made at start."},
                   {"h2park serve --root public --access-log json --access-log-file access.log",
                    "Serve files, one JSON line per request in access.log."},
                   {"h2park serve --park=off --stats unix:/run/h2park/stats.sock",
                    "Keep a coroutine per connection; statistics on a unix socket."},
                   {"h2park serve --stats 0.0.0.0:8081 --stats-token @/etc/h2park/token",
                    "Statistics for other machines, which have the token too."}},
  };
  add_listening(spec.options);
  add_parking(spec.options);
  add_limits(spec.options);
  add_timeouts(spec.options);
  add_content_and_reports(spec.options);
  spec.options.push_back(help_option());
  spec.options.push_back(version_option());
  return spec;
}

}  // namespace h2park::cmd
