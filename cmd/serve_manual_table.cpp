#include "cmd/serve_manual.hpp"
#include "stats/prometheus.hpp"

namespace h2park::cmd {
namespace {

std::vector<Text> statistics_rows() {
  std::vector<Text> rows = {
      {"/stats.json", "The figures that h2park stat shows; its manual names them."},
      {"/metrics",
       "The same for Prometheus, in its text format, and these histograms, whose buckets end at 1, 2.5 and 5 "
       "times each power of ten from a microsecond to 100 seconds:"}};
  for (const stats::HistogramInfo& histogram : stats::histograms()) {
    const std::string label = histogram.label.empty() ? "" : "{" + std::string(histogram.label) + "}";
    rows.push_back({std::string(histogram.metric) + label, std::string(histogram.help) + "."});
  }
  rows.push_back({"/", "A page for browsers: each connection in its place, the figures and their graphs."});
  rows.push_back(
      {"/live[?interval=DURATION]",
       "What the page shows, as server-sent events, one per interval (1s; 250ms to 1m): data is an object "
       "with "
       "stats, as in /stats.json; depths, a text for each serving thread, in which each connection is a "
       "letter "
       "in its place, a for active, p for parked, f for frozen, capital if that began since the last event, "
       ". "
       "for a free place, a number in front for that many of the same; and left_out, how many connections "
       "there was no place for. At most 32 streams; one more gets 503, and pages of other sites 403."});
  rows.push_back({"/healthz", "200 while the server serves, 503 once it is being stopped."});
  return rows;
}

}  // namespace

Section serve_statistics() {
  return {.title = "Statistics",
          .intro =
              "What is answered at --stats, over HTTP/1.1, to GET and HEAD. Without a token only requests "
              "whose Host is localhost or the address itself are answered, so that no web page can read "
              "them. A token is sent as it is: on a network that others share put TLS in front. Figures of "
              "sockets and slots are taken once a second at most, every five seconds where thousands of busy "
              "connections make that dear, and only when somebody asks.",
          .rows = statistics_rows(),
          .in_help = false};
}

Section serve_signals() {
  return {.title = "Signals",
          .rows = {{"SIGTERM, SIGINT",
                    "Stop accepting, announce the end on every connection, let streams finish for --grace, "
                    "then cancel "
                    "them and exit with 0. A second one ends at once."},
                   {"SIGHUP", "Read --cert and --key again; connections that are open keep what they have."},
                   {"SIGUSR1", "Open --access-log-file again, for log rotation."}}};
}

Section serve_environment() {
  return {.title = "Environment",
          .intro = "Set by a service manager such as systemd, if at all.",
          .rows = {{"LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES",
                    "Socket activation: the listening sockets that are handed over are served in place of "
                    "--listen and "
                    "--tls-listen. One named tls speaks TLS if --tls-listen is given too."},
                   {"NOTIFY_SOCKET", "Told when the server is ready and when it stops."}}};
}

}  // namespace h2park::cmd
