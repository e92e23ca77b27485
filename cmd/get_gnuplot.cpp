#include "cmd/get_gnuplot.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace h2park::cmd {
namespace {

std::unexpected<Error> failure(std::string what, int reason) {
  return std::unexpected(
      Error{std::move(what) + ": " + std::generic_category().message(reason), Error::Exit::kWriteFailed});
}

/// The first executable of that name on the path, or "".
std::string find_program(std::string_view name, std::string_view path) {
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    std::string folder(path.substr(0, colon));
    if (folder.empty()) folder = ".";
    std::string candidate = folder + "/" + std::string(name);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return {};
}

/// The script in memory, to be the child's standard input: a pipe would have to be fed while it runs.
Result<net::UniqueFd> in_memory(const std::string& script) {
  net::UniqueFd file(::memfd_create("h2park-plot", MFD_CLOEXEC));
  if (!file) return failure("cannot make a plot", errno);
  for (std::size_t done = 0; done < script.size();) {
    const ssize_t written = ::write(file.get(), script.data() + done, script.size() - done);
    if (written < 0 && errno != EINTR) return failure("cannot make a plot", errno);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  if (::lseek(file.get(), 0, SEEK_SET) < 0) return failure("cannot make a plot", errno);
  return file;
}

/// Owns what posix_spawn wants.
class SpawnPlan {
 public:
  SpawnPlan(int input, int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    // We block signals and ignore SIGPIPE; a child is to be as the user knows it.
    sigset_t none;
    sigset_t usual;
    ::sigemptyset(&none);
    ::sigemptyset(&usual);
    ::sigaddset(&usual, SIGPIPE);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &usual);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  /// 0, or an errno.
  int run(const std::string& program, pid_t& child) {
    std::string name = program;
    std::array<char*, 2> arguments{name.data(), nullptr};
    return ::posix_spawn(&child, program.c_str(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

Result<Gnuplot> Gnuplot::prepare(const std::string& file, std::string_view path) {
  std::string program = find_program("gnuplot", path);
  if (program.empty()) {
    return std::unexpected(Error{"get: --plot: gnuplot is not installed (Debian: apt install gnuplot-nox)",
                                 Error::Exit::kNotInstalled});
  }
  net::UniqueFd output(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!output) return failure("get: --plot: cannot write " + file, errno);
  const PlotFormat format = file.ends_with(".svg") ? PlotFormat::kSvg : PlotFormat::kPng;
  return Gnuplot(std::move(program), file, std::move(output), format);
}

Result<> Gnuplot::draw(const std::string& script) {
  auto input = in_memory(script);
  if (!input) return std::unexpected(input.error());
  // Devices cannot be cut, and need not be.
  if (::ftruncate(output_.get(), 0) != 0 && errno != EINVAL) return failure("cannot write " + file_, errno);
  SpawnPlan plan(input->get(), output_.get());
  pid_t child = 0;
  if (const int reason = plan.run(program_, child); reason != 0)
    return failure("cannot run " + program_, reason);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return failure("cannot wait for " + program_, errno);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return std::unexpected(Error{program_ + " could not draw " + file_, Error::Exit::kWriteFailed});
}

}  // namespace h2park::cmd
