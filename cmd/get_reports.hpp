// Reports: all that `get` says about its requests, as they settle and at the end.
#pragma once

#include "cmd/get_outcome.hpp"
#include "cmd/get_output.hpp"
#include "cmd/get_progress.hpp"
#include "cmd/get_settings.hpp"
#include "cmd/get_summary.hpp"
#include "cmd/get_timeline.hpp"
#include "cmd/get_write_out.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// Thread: the reactor's. Lifetime: within the settings'.
class Reports {
 public:
  explicit Reports(const GetSettings& settings);

  /// A request is over, its drain too. `number`: of the request, from 0.
  void settled(const Outcome& outcome, std::uint64_t number, TimePoint now);
  /// Between these a body may be on its way to standard output: what --write-out says of others waits.
  void begin_body() { body_under_way_ = true; }
  void end_body();
  /// At the run's end. Errors: standard output could not be written.
  Result<> finish(const SummaryContext& context);

  /// Writes to standard error, where the progress line may be.
  void say(std::string_view text);
  void show_progress(const client::ClientCounts& counts, Duration elapsed);

  Output& standard_output() { return standard_output_; }
  Summary& summary() { return summary_; }
  const Timeline& timeline() const { return timeline_; }
  const Progress& progress() const { return progress_; }
  bool wants_fields() const { return write_out_.wants_fields(); }
  /// As the man page has it; 0: nothing failed.
  int exit_code() const { return exit_code_; }

 private:
  void note_exit_code(const Outcome& outcome, std::uint64_t number);
  void write_out(const WriteOut::To& to, std::string_view text);
  void write_file(const std::string& file, bool append, std::string_view text);

  const GetSettings& settings_;
  const WriteOut write_out_;
  Output standard_output_;
  Summary summary_;
  Timeline timeline_;
  Progress progress_;
  std::string line_;  // reused
  std::string held_;  // for standard output, until the body that is under way has ended
  bool body_under_way_ = false;
  std::map<std::string, bool> opened_;  // files of %output: emptied already
  int exit_code_ = 0;
  std::uint64_t exit_number_ = 0;  // of the request that it is from
};

}  // namespace h2park::cmd
