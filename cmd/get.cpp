#include "cmd/get.hpp"

#include "client/client.hpp"
#include "client/network_dialer.hpp"
#include "cmd/get_gnuplot.hpp"
#include "cmd/get_reports.hpp"
#include "cmd/get_run.hpp"
#include "cmd/get_settings.hpp"
#include "net/asio_reactor.hpp"
#include "net/threaded_resolver.hpp"
#include "server/descriptor_limit.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

namespace h2park::cmd {
namespace {

constexpr int kSignalled = 128;

std::optional<std::string> environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// One run, from its first request to the last drain.
class Session {
 public:
  explicit Session(const GetSettings& settings)
      : settings_(settings),
        reports_(settings),
        resolver_(reactor_),
        dialer_(reactor_, resolver_, settings.client.proxies, settings.network),
        client_(reactor_, dialer_, settings.client),
        progress_(reactor_.timers(), [this] { show_progress(); }),
        run_(
            reactor_, settings, reports_,
            [this](client::Request request, client::ResponseListener& listener,
                   client::Client::OnSettled settled) {
              return client_.fetch(std::move(request), listener, std::move(settled));
            },
            [this] { finish(); }) {}

  /// Certificates are read before the first request: what is wrong with them is not that request's fault.
  Result<> prepare() {
    const bool secure = std::ranges::any_of(
        settings_.targets, [](const GetTarget& target) { return target.request.url.origin.secure; });
    const tls::ClientOptions& tls = settings_.network.tls;
    if (!secure && tls.certificate.empty() && tls.ca_file.empty() && tls.ca_directory.empty()) return {};
    auto good = dialer_.prepare_tls();
    if (good) return {};
    // The message names the file.
    const auto names = [&](const std::string& file) {
      return !file.empty() && good.error().message.find(file) != std::string::npos;
    };
    const bool own = names(tls.certificate) || names(tls.key);
    good.error().exit = own ? Error::Exit::kBadCertificate : Error::Exit::kBadTrustAnchors;
    return good;
  }

  /// Errors: standard output could not be written.
  Result<int> run() {
    for (const int signal : {SIGINT, SIGTERM})
      reactor_.on_signal(signal, [this, signal] { interrupted(signal); });
    reactor_.post([this] { start(); });
    reactor_.run();
    if (run_.exception()) std::rethrow_exception(run_.exception());
    const auto written = reports_.finish({.counts = client_.counts(),
                                          .duration = run_.duration(),
                                          .paced = settings_.pace.interval > Duration::zero()});
    if (signal_ != 0) return kSignalled + signal_;
    if (reports_.exit_code() != 0) return reports_.exit_code();
    if (!written) return std::unexpected(written.error());
    return 0;
  }

  const Timeline& timeline() const { return reports_.timeline(); }

 private:
  void start() {
    start_ = reactor_.time().now();
    if (reports_.progress().wanted()) progress_.set(start_ + Progress::kFirst);
    run_.start();
  }

  void finish() {
    finishing_ = client_.finish();
    if (finishing_.done()) {
      reactor_.stop();
    } else {
      finishing_.on_done([](void* reactor) noexcept { static_cast<net::AsioReactor*>(reactor)->stop(); },
                         &reactor_);
    }
  }

  void interrupted(int signal) {
    signal_ = signal;
    // The next one ends the process, whatever it is at.
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    run_.stop();
    client_.cut_drains();
  }

  void show_progress() {
    const TimePoint now = reactor_.time().now();
    reports_.show_progress(client_.counts(), now - start_);
    progress_.set(now + Progress::kEvery);
  }

  const GetSettings& settings_;
  Reports reports_;
  net::AsioReactor reactor_;
  net::ThreadedResolver resolver_;
  client::NetworkDialer dialer_;
  client::Client client_;
  TimePoint start_;
  net::Timer progress_;
  GetRun run_;
  Task<> finishing_;
  int signal_ = 0;
};

std::string plot_title(const GetSettings& settings) {
  std::string title = "h2park get " + settings.targets.front().request.url.text();
  if (settings.targets.size() > 1) title += " and " + std::to_string(settings.targets.size() - 1) + " more";
  if (!settings.client.drain.enabled) title += ", without draining";
  return title;
}

Result<int> run(const GetSettings& settings, std::optional<Gnuplot>& gnuplot) {
  Session session(settings);
  if (auto good = session.prepare(); !good) return std::unexpected(good.error());
  const Result<int> code = session.run();
  if (!code || !gnuplot) return code;
  const auto drawn = gnuplot->draw(plot_script(session.timeline(), gnuplot->format(), plot_title(settings)));
  if (!drawn && *code == 0) return std::unexpected(drawn.error());
  return code;
}

}  // namespace

Result<int> get(const Values& values) {
  const Result<GetSettings> settings = parse_get(values, environment);
  if (!settings) return std::unexpected(settings.error());
  // A reader that goes away is an error of ours to tell, not the end.
  ::signal(SIGPIPE, SIG_IGN);
  std::optional<Gnuplot> gnuplot;
  if (!settings->plot.empty()) {
    auto prepared = Gnuplot::prepare(settings->plot, environment("PATH").value_or("/usr/bin:/bin"));
    if (!prepared) return std::unexpected(prepared.error());
    gnuplot.emplace(std::move(*prepared));
  }
  server::raise_descriptor_limit();
  const Result<int> code = run(*settings, gnuplot);
  if (!code && !settings->show_errors) return static_cast<int>(code.error().exit);
  return code;
}

}  // namespace h2park::cmd
