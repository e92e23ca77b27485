#include "cmd/get_places.hpp"

#include "cmd/get_request.hpp"

#include <algorithm>

namespace h2park::cmd {
namespace {

/// What the URL's path ends with, as curl names files.
std::string remote_name(const client::Url& url) {
  const std::string path = url.target.substr(0, url.target.find('?'));
  return path.substr(path.rfind('/') + 1);
}

GetPlace place_of(OptionReader& reader, const Values::Written& written, const client::Url& url) {
  if (written.option == "output") {
    if (written.value == "-") return {GetPlace::Kind::kStandardOutput, ""};
    return {GetPlace::Kind::kFile, written.value};
  }
  std::string name = remote_name(url);
  if (name.empty()) {
    reader.wrong("remote-name", "'" + url.text() + "' ends with no file's name", Error::Exit::kWriteFailed);
  }
  return {GetPlace::Kind::kFile, std::move(name)};
}

/// The first one for the first URL, and so on; the others have what is usual.
void pair_places(OptionReader& reader, GetSettings& settings) {
  const bool to_standard_output = !settings.repeated && settings.format == GetFormat::kText;
  const auto written = reader.values().in_order({"output", "remote-name"});
  if (written.size() > settings.targets.size()) {
    reader.wrong(written.back().option, "is given more often than there are URLs");
  }
  for (std::size_t i = 0; i < settings.targets.size(); ++i) {
    GetTarget& target = settings.targets[i];
    if (i < written.size()) {
      target.place = place_of(reader, written[i], target.request.url);
    } else {
      target.place.kind = to_standard_output ? GetPlace::Kind::kStandardOutput : GetPlace::Kind::kNowhere;
    }
  }
}

void check_places(OptionReader& reader, const GetSettings& settings) {
  const auto any = [&](const auto& wanted) { return std::ranges::any_of(settings.targets, wanted); };
  const bool shared = any([](const GetTarget& target) {
    return target.place.kind == GetPlace::Kind::kStandardOutput ||
           (target.place.kind == GetPlace::Kind::kFile && target.place.file != "/dev/null");
  });
  if (shared && settings.pace.concurrency > 1) {
    reader.wrong("output", "with --concurrency above 1 only /dev/null can take the bodies");
  }
  const bool standard =
      any([](const GetTarget& target) { return target.place.kind == GetPlace::Kind::kStandardOutput; });
  if (settings.format == GetFormat::kJson) {
    if (standard) reader.wrong("output", "'-' does not go with --output-format json");
    if (reader.given("write-out")) reader.wrong("write-out", "does not go with --output-format json");
  }
  const bool shown =
      any([](const GetTarget& target) { return target.place.kind != GetPlace::Kind::kNowhere; });
  if (settings.include && !shown) reader.wrong("include", "needs a body that is written: --output");
}

void read_read_limit(OptionReader& reader, GetSettings& settings) {
  std::uint64_t limit = 0;
  if (reader.text("read") == "all") {
    limit = client::kReadAll;
  } else if (reader.given("read") && reader.text("read") != "none") {
    reader.size("read", 0, client::kReadAll - 1, limit);
  }
  for (GetTarget& target : settings.targets) {
    // Of a repeated request nobody sees the body, unless it goes somewhere.
    const bool wanted = !settings.repeated || target.place.kind != GetPlace::Kind::kNowhere;
    target.request.read_limit = reader.given("read") ? limit : wanted ? client::kReadAll : 0;
    if (settings.head) target.request.read_limit = 0;
  }
}

void read_write_out(OptionReader& reader, GetSettings& settings) {
  settings.write_out = reader.text("write-out");
  if (!settings.write_out.starts_with('@')) return;
  settings.write_out = read_named_file(reader, "write-out", settings.write_out.substr(1));
  // curl's: a format in a file may be written in lines, and says \n where it means one.
  std::erase_if(settings.write_out, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

}  // namespace

void read_places(OptionReader& reader, GetSettings& settings) {
  settings.format = reader.text("output-format") == "json" ? GetFormat::kJson : GetFormat::kText;
  settings.plot = reader.text("plot");
  if (!settings.plot.empty() && !settings.plot.ends_with(".svg") && !settings.plot.ends_with(".png")) {
    reader.wrong("plot", "'" + settings.plot + "' ends with neither .svg nor .png");
  }
  read_write_out(reader, settings);
  pair_places(reader, settings);
  check_places(reader, settings);
  read_read_limit(reader, settings);
}

}  // namespace h2park::cmd
