#include "cmd/get_reports.hpp"

#include "cmd/get_json.hpp"
#include "cmd/get_phases_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace h2park::cmd {
namespace {

bool wants_progress(const GetSettings& settings) {
  const bool seen =
      settings.repeated && !settings.silent && !settings.verbose && ::isatty(STDERR_FILENO) == 1;
  // Lines of our own on the same terminal would be drawn over.
  const bool writes = settings.format == GetFormat::kJson || !settings.write_out.empty();
  return seen && !(writes && ::isatty(STDOUT_FILENO) == 1);
}

}  // namespace

Reports::Reports(const GetSettings& settings)
    : settings_(settings),
      write_out_(settings.write_out),
      standard_output_(STDOUT_FILENO),
      progress_(wants_progress(settings)) {
  for (const std::string& name : write_out_.unknown())
    say("h2park: unknown --write-out variable: '" + name + "'\n");
}

void Reports::settled(const Outcome& outcome, std::uint64_t number, TimePoint now) {
  summary_.add(outcome);
  note_exit_code(outcome, number);
  if (!settings_.plot.empty()) timeline_.add(outcome.record, outcome.fault.has_value());
  if (settings_.verbose) say(phases_bar(outcome.record));
  if (outcome.fault && settings_.show_errors) {
    std::string line = "h2park: (" + std::to_string(outcome.fault->exit_code) + ") " + outcome.fault->message;
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    say(line + "\n");
  }
  if (settings_.format == GetFormat::kJson) {
    line_.clear();
    append_json_line(line_, outcome);
    standard_output_.write(line_);
  } else if (!write_out_.empty()) {
    write_out_.expand(outcome,
                      [this](const WriteOut::To& to, std::string_view text) { write_out(to, text); });
  }
  standard_output_.settle(now);
}

void Reports::note_exit_code(const Outcome& outcome, std::uint64_t number) {
  const int code = outcome.fault ? outcome.fault->exit_code : 0;
  const bool counts =
      settings_.repeated ? code != 0 && (exit_code_ == 0 || number < exit_number_) : number >= exit_number_;
  if (!counts) return;
  exit_code_ = code;
  exit_number_ = number;
}

void Reports::write_out(const WriteOut::To& to, std::string_view text) {
  switch (to.kind) {
    case WriteOut::To::Kind::kStandardOutput:
      if (body_under_way_) {
        held_ += text;
      } else {
        standard_output_.write(text);
      }
      return;
    case WriteOut::To::Kind::kStandardError:
      return say(text);
    case WriteOut::To::Kind::kFile:
      return write_file(std::string(to.file), false, text);
    case WriteOut::To::Kind::kAppendedFile:
      return write_file(std::string(to.file), true, text);
  }
}

// %output{FILE} empties FILE once, not for each request.
void Reports::write_file(const std::string& file, bool append, std::string_view text) {
  const bool first = opened_.try_emplace(file, true).second;
  std::FILE* out = std::fopen(file.c_str(), append || !first ? "abe" : "wbe");
  const bool good = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if ((out != nullptr && std::fclose(out) != 0) || !good) {
    if (first && settings_.show_errors) say("h2park: --write-out: cannot write " + file + "\n");
  }
}

void Reports::end_body() {
  body_under_way_ = false;
  if (!held_.empty()) standard_output_.write(std::exchange(held_, {}));
}

void Reports::say(std::string_view text) {
  if (text.empty()) return;
  progress_.clear();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Reports::show_progress(const client::ClientCounts& counts, Duration elapsed) {
  const bool counted = !settings_.pace.duration || settings_.pace.requests < std::uint64_t{1} << 62;
  progress_.show({.done = summary_.requests(),
                  .planned = counted ? settings_.pace.requests : 0,
                  .errors = summary_.failures(),
                  .connections = counts.opened,
                  .elapsed = elapsed,
                  .duration = settings_.pace.duration.value_or(Duration::zero())});
}

Result<> Reports::finish(const SummaryContext& context) {
  progress_.clear();
  end_body();
  if (settings_.format == GetFormat::kJson) {
    standard_output_.write(summary_json(summary_, context));
  } else if (settings_.repeated) {
    const bool taken = std::ranges::any_of(settings_.targets, [](const GetTarget& target) {
      return target.place.kind == GetPlace::Kind::kStandardOutput;
    });
    const std::string text = summary_text(summary_, context);
    if (taken) {
      say(text);
    } else {
      standard_output_.write(text);
    }
  }
  standard_output_.flush();
  if (const int reason = standard_output_.error(); reason != 0) {
    Error error = system_failure("standard output", reason).error();
    error.exit = Error::Exit::kWriteFailed;
    return std::unexpected(std::move(error));
  }
  return {};
}

}  // namespace h2park::cmd
