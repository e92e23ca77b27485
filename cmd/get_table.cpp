// `h2park get` for --help, its man page and the parser.
#include "cmd/get_manual.hpp"
#include "cmd/get_options.hpp"

namespace h2park::cmd {

CommandSpec get_command() {
  CommandSpec spec{
      .name = "get",
      .summary = "make HTTP/1.1 requests over connections that are reused, and say why when they are not",
      .description =
          {"Fetches each URL and writes its body to standard output, with curl's letters, messages and exit "
           "codes. All requests of a run share one pool of connections.",
           "What is not read of a body (--read) is drained in the background, within --drain-bytes and "
           "--drain-time, so that its connection can be used again. A request never waits for that: it takes "
           "whichever is there first, the drained connection or a new one. -v, --write-out and "
           "--output-format "
           "json say for each request whether its connection was reused, and if not, why.",
           "With --requests or --duration it is a load test: the URLs by turns, a summary at the end. Its "
           "exit code is then that of the first request that failed; otherwise that of the last URL, as with "
           "curl.",
           "DUR is a duration: 50ms, 1.5s, 1m30s, or a number of seconds as curl takes it: 2.5. SIZE is a "
           "number "
           "of bytes, or has a unit: 64KiB, 1MB."},
      .options = {{.name = "URL",
                   .value = "URL",
                   .section = "Arguments",
                   .help = "http or https; without a scheme it is http.",
                   .repeatable = true,
                   .positional = true}},
      .more = get_manual(),
      .exit_codes = get_exit_codes(),
      .examples =
          {{"h2park get -v https://example.org/", "Fetch a page and see what happened."},
           {"h2park get -d @order.json -H 'Content-Type: text/json' http://[::1]:8080/echo", "Send a file."},
           {"h2park get -n 1000 -c 10 http://127.0.0.1:8080/bytes/100000",
            "1000 requests, 10 at once, bodies unread; add --no-drain to see what draining is worth."},
           {"h2park get -z 10s -q 200 --plot run.svg http://127.0.0.1:8080/",
            "200 requests per second for 10 seconds, drawn."},
           {"h2park get -s -o a -o b -w '%{reused} %{reuse_miss_reason}\\n' URL URL",
            "One line per request for a script."},
           {"h2park get -n 9 --output-format json URL | jq .drain.result", "What became of each body."}},
  };
  add_request(spec.options);
  add_answers(spec.options);
  add_output(spec.options);
  add_repetition(spec.options);
  add_reuse(spec.options);
  add_connecting(spec.options);
  add_tls(spec.options);
  spec.options.push_back(help_option());
  spec.options.push_back(version_option());
  return spec;
}

}  // namespace h2park::cmd
