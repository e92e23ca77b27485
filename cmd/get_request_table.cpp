// The options of `h2park get`: what is asked, and what becomes of the answer. Names and letters are curl's
// where curl has the option.
#include "cmd/get_options.hpp"

namespace h2park::cmd {

void add_request(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Request";
  options.push_back({.name = "request",
                     .letter = 'X',
                     .value = "METHOD",
                     .section = kSection,
                     .help = "The method, in place of GET, or of POST with --data. Redirects keep it."});
  options.push_back(
      {.name = "header",
       .letter = 'H',
       .value = "LINE|@FILE",
       .section = kSection,
       .help = "Add 'Name: value', in place of a field of that name that would be sent otherwise. 'Name:' "
               "sends none, 'Name;' an empty one; @FILE has one per line, @- is standard input.",
       .repeatable = true,
       .any_text = true});
  options.push_back(
      {.name = "data",
       .letter = 'd',
       .value = "DATA|@FILE",
       .section = kSection,
       .help = "Send DATA, as POST and as application/x-www-form-urlencoded unless --request and --header "
               "say otherwise. Several are joined with '&'. @FILE is sent without its line ends; @- is "
               "standard input.",
       .repeatable = true,
       .any_text = true});
  options.push_back({.name = "data-binary",
                     .value = "DATA|@FILE",
                     .section = kSection,
                     .help = "As --data, but a file is sent as it is.",
                     .repeatable = true,
                     .any_text = true});
  options.push_back({.name = "data-raw",
                     .value = "DATA",
                     .section = kSection,
                     .help = "As --data, but '@' has no meaning.",
                     .repeatable = true,
                     .any_text = true});
  options.push_back(
      {.name = "head", .letter = 'I', .section = kSection, .help = "Send HEAD and show the head."});
  options.push_back({.name = "user-agent",
                     .letter = 'A',
                     .value = "NAME",
                     .section = kSection,
                     .help = "The User-Agent field; '' sends none. Default: h2park/VERSION.",
                     .any_text = true});
  options.push_back(
      {.name = "referer", .letter = 'e', .value = "URL", .section = kSection, .help = "The Referer field."});
  options.push_back(
      {.name = "cookie",
       .letter = 'b',
       .value = "COOKIES|FILE",
       .section = kSection,
       .help = "Send 'a=1; b=2', or those cookies of FILE, in Netscape's format or as Set-Cookie lines, that "
               "belong to the URL. A value without '=' is a file; with one, or with '' for none, what "
               "servers set is sent back as well.",
       .repeatable = true,
       .completion = Completion::kFile,
       .any_text = true});
  options.push_back({.name = "user",
                     .letter = 'u',
                     .value = "USER:PASSWORD",
                     .section = kSection,
                     .help = "Basic authentication. Other users of this machine may see the command line."});
  options.push_back({.name = "compressed",
                     .section = kSection,
                     .help = "Ask for a compressed body and undo the compression."});
  options.push_back({.name = "http1.0", .letter = '0', .section = kSection, .help = "Speak HTTP/1.0."});
  options.push_back(
      {.name = "http1.1", .section = kSection, .help = "Speak HTTP/1.1, which is what it does anyway."});
}

void add_answers(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Answers";
  options.push_back({.name = "location",
                     .letter = 'L',
                     .section = kSection,
                     .help = "Follow redirects. Credentials and cookies stay with the first origin."});
  options.push_back({.name = "location-trusted",
                     .section = kSection,
                     .help = "Follow redirects, and send credentials and cookies to other origins too."});
  options.push_back({.name = "max-redirs",
                     .value = "N",
                     .fallback = "50",
                     .section = kSection,
                     .help = "Redirects to follow before giving up; -1: any number."});
  options.push_back({.name = "fail",
                     .letter = 'f',
                     .section = kSection,
                     .help = "Take a status of 400 and above as a failure: no body, exit code 22."});
  options.push_back(
      {.name = "retry",
       .value = "N",
       .fallback = "0",
       .section = kSection,
       .help =
           "Make the request again, up to N times, after a timeout or a status of 408, 429, 500, 502, 503 "
           "or 504: after 1 s, 2 s, 4 s ... 10 min, or when Retry-After says."});
  options.push_back({.name = "max-time",
                     .letter = 'm',
                     .value = "DUR",
                     .fallback = "0",
                     .section = kSection,
                     .help = "For a whole request, redirects and retries included. 0: no limit."});
}

void add_output(std::vector<OptionSpec>& options) {
  constexpr std::string_view kSection = "Output";
  options.push_back(
      {.name = "output",
       .letter = 'o',
       .value = "FILE",
       .section = kSection,
       .help = "Write the body to FILE; '-' is standard output. The first --output or --remote-name is the "
               "first URL's, and so on.",
       .repeatable = true,
       .completion = Completion::kFile});
  options.push_back({.name = "remote-name",
                     .letter = 'O',
                     .section = kSection,
                     .help = "Write the body to a file of the name that the URL's path ends with, here.",
                     .repeatable = true});
  options.push_back({.name = "include",
                     .letter = 'i',
                     .section = kSection,
                     .help = "Write response heads before the body."});
  options.push_back(
      {.name = "silent", .letter = 's', .section = kSection, .help = "No progress, no errors."});
  options.push_back(
      {.name = "show-error", .letter = 'S', .section = kSection, .help = "Errors even with --silent."});
  options.push_back(
      {.name = "verbose",
       .letter = 'v',
       .section = kSection,
       .help =
           "Show heads ('>' and '<'), events ('*') and, at the end, the phases of the request and the facts "
           "of its connection, on standard error."});
  options.push_back({.name = "write-out",
                     .letter = 'w',
                     .value = "FORMAT|@FILE",
                     .section = kSection,
                     .help = "Write FORMAT after each request, with its %{variables}; see WRITE OUT. @- is "
                             "standard input.",
                     .any_text = true});
  options.push_back({.name = "output-format",
                     .value = "text|json",
                     .fallback = "text",
                     .section = kSection,
                     .help =
                         "json: one JSON object a line for each request, and a summary as the last; bodies "
                         "are then only written to files. See JSON.",
                     .choices = {"text", "json"}});
  options.push_back(
      {.name = "plot",
       .value = "FILE",
       .section = kSection,
       .help =
           "Draw which request ran when and on which connection, new or reused, with drains, to FILE, which "
           "ends with .svg or .png. Needs gnuplot. The first 2000 requests are drawn.",
       .completion = Completion::kFile});
}

}  // namespace h2park::cmd
