#include "cmd/get_manual.hpp"
#include "cmd/get_variables.hpp"
#include "cmd/get_words.hpp"

#include <map>

namespace h2park::cmd {
namespace {

Section write_out() {
  Section section{
      .title = "Write out",
      .intro =
          "--write-out writes its FORMAT to standard output after each request, when the draining "
          "of its body is over too. %{NAME} is a variable, %header{NAME} a field of the last "
          "response, %output{FILE} sends what follows to FILE (appended with %output{>>FILE}), %% "
          "is a percent sign; \\n, \\r and \\t are what they are in C. Variables:",
      .rows = {},
      .in_help = false};
  for (const VariableSpec& variable : variables())
    section.rows.push_back({std::string(variable.name), std::string(variable.help)});
  return section;
}

Section reuse() {
  Section section{.title = "Reuse",
                  .intro =
                      "Why a request was made on a new connection: one of the first four, or why the last "
                      "connection to its origin had been closed. The same words tell in the summary why "
                      "connections were closed.",
                  .rows = miss_words(),
                  .in_help = false};
  for (Text& row : close_words()) section.rows.push_back(std::move(row));
  return section;
}

Section drains() {
  return {.title = "Drain results",
          .intro = "What became of what the caller had not read of a body.",
          .rows = drain_words(),
          .in_help = false};
}

Section json() {
  return {
      .title = "JSON",
      .intro =
          "With --output-format json each request is one object, written when the draining of its body is "
          "over. "
          "Times are milliseconds. null is what does not apply.",
      .rows =
          {{"url, method", "Of the last request, after redirects."},
           {"status", "Of the response; 0 if there was none."},
           {"protocol", "HTTP/1.1 or HTTP/1.0; null without a response."},
           {"bytes", "Of the body that were read, as they came."},
           {"timings",
            "An object: dns, connect, tls (of a new connection, else 0), send, wait (from the request's "
            "last byte to the response's first), first_byte (from the start), read, total."},
           {"connection",
            "An object: id (from 1; 0: none), reused, idle_ms (null for a new one), requests (made "
            "on it), miss_reason (see REUSE; null if reused)."},
           {"drain", "An object: result (see DRAIN RESULTS), bytes, ms."},
           {"error", "null, or an object: cause (a word of EXIT STATUS), exit_code, message."},
           {"summary",
            "The only member of the last object. It has requests (ended), errors (an object: a number for "
            "each "
            "cause), statuses (for 2xx, 3xx ...), duration_s, requests_per_second, bytes, connections "
            "(opened, "
            "reused, closed: a number for each reason), drains (a number for each result), timings (for dns, "
            "connect, tls, send, wait, first_byte, read, total and latency an object: count, min, mean, p50, "
            "p90, "
            "p99, max; null if nothing was measured)."}},
      .in_help = false};
}

Section latency() {
  return {
      .title = "Latency",
      .intro =
          "The phases of requests that failed are not counted. dns, connect and tls are those of the "
          "requests "
          "that made a connection.",
      .rows =
          {{"total", "From the moment a worker began the request until it was done with the body."},
           {"latency",
            "The same, but with --rate from the moment at which the request was due. A server that stalls "
            "keeps the workers from beginning requests in time; counted from their beginning these would "
            "look "
            "fast, although a user of that moment would have waited (coordinated omission). Percentiles are "
            "right to within 1 %, minimum, mean and maximum are exact."}},
      .in_help = false};
}

Section signals() {
  return {
      .title = "Signals",
      .rows = {
          {"SIGINT, SIGTERM",
           "Give up what is under way, print the summary and exit with 128 + the signal's number. A second "
           "one ends at once."}}};
}

Section environment() {
  return {
      .title = "Environment",
      .rows = {{"http_proxy, https_proxy, all_proxy",
                "The HTTP proxy for http URLs, for https URLs, and for both; http_proxy in lower case only."},
               {"no_proxy",
                "Hosts to reach without one: names with what is below them, addresses, blocks as "
                "192.0.2.0/24, separated by commas; '*' is all."}}};
}

}  // namespace

std::vector<Section> get_manual() {
  return {write_out(), reuse(), drains(), json(), latency(), signals(), environment()};
}

std::vector<Text> get_exit_codes() {
  std::map<int, std::string> codes{
      {0, "The request was answered, whatever its status."},
      {1, "Something else went wrong."},
      {2, "The command line is wrong. Nothing was started."},
      {4, "gnuplot, which --plot needs, is not installed."},
      {22, "http_error: --fail, and the status is 400 or above."},
      {23, "write: a file or standard output could not be written."},
      {26, "A file that --data, --header, --cookie or --write-out names could not be read."},
      {58, "The own certificate or key could not be used."},
      {77, "--cacert or --capath could not be used."},
  };
  for (const FailureWord& failure : failure_words()) {
    std::string& text = codes[failure.exit_code];
    text += (text.empty() ? "" : " ") + failure.word + ": " + failure.meaning;
  }
  std::vector<Text> rows;
  for (auto& [code, text] : codes) rows.push_back({std::to_string(code), std::move(text)});
  rows.push_back({"128+N", "Ended by signal N."});
  return rows;
}

}  // namespace h2park::cmd
