// Gnuplot: the program, run as a child without a shell.
#pragma once

#include "base/error.hpp"
#include "cmd/get_timeline.hpp"
#include "net/unique_fd.hpp"

#include <string>
#include <string_view>

namespace h2park::cmd {

class Gnuplot {
 public:
  /// Finds the program and opens `file`, whose name says the format, before a run that would be for nothing.
  /// Requires: it ends with .svg or .png. Errors: kNotInstalled; kWriteFailed. `path` is $PATH.
  static Result<Gnuplot> prepare(const std::string& file, std::string_view path);

  PlotFormat format() const { return format_; }
  /// Runs the script; what it draws replaces the file's content. Waits. Errors: kWriteFailed: gnuplot ended
  /// with an error, which it has said on standard error.
  Result<> draw(const std::string& script);

 private:
  Gnuplot(std::string program, std::string file, net::UniqueFd output, PlotFormat format)
      : program_(std::move(program)), file_(std::move(file)), output_(std::move(output)), format_(format) {}

  std::string program_;
  std::string file_;
  net::UniqueFd output_;
  PlotFormat format_;
};

}  // namespace h2park::cmd
