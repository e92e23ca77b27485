// What the words of client/reuse.hpp and client/failure.hpp mean: their man page sections.
#include "client/failure.hpp"
#include "client/reuse.hpp"
#include "cmd/get_words.hpp"

#include <array>

namespace h2park::cmd {
namespace {

using client::CloseReason;
using client::DrainResult;
using client::FailureKind;
using client::MissReason;

template <class Word>
struct Meaning {
  Word word;
  std::string_view text;
};

constexpr auto kMisses = std::to_array<Meaning<MissReason::Kind>>({
    {MissReason::Kind::kFirst, "Nothing had been connected to this origin before."},
    {MissReason::Kind::kBusy, "Every connection to it was in use."},
    {MissReason::Kind::kDraining, "One was still being drained, and dialling was faster."},
    {MissReason::Kind::kStale, "A reused connection turned out dead; this was the second attempt."},
});

constexpr auto kCloses = std::to_array<Meaning<CloseReason>>({
    {CloseReason::kConnectionClose, "The server or the request said Connection: close."},
    {CloseReason::kHttp10, "HTTP/1.0 without keep-alive."},
    {CloseReason::kUntilClose, "The end of the body was the end of the connection."},
    {CloseReason::kTransferCoding,
     "Framing that is not to be trusted: Transfer-Encoding with Content-Length, or in HTTP/1.0."},
    {CloseReason::kTunnel, "The connection became something else than HTTP."},
    {CloseReason::kUnsolicitedData, "Bytes came after the response, or on an idle connection."},
    {CloseReason::kOverLimitKnown, "Content-Length left more than --drain-bytes."},
    {CloseReason::kOverLimit, "--drain-bytes were read and the body went on."},
    {CloseReason::kDrainTimedOut, "--drain-time was over before the body."},
    {CloseReason::kDrainFailed, "The connection broke, or its framing, while the body was drained."},
    {CloseReason::kNoDrain, "--no-drain, and the body was not read to its end."},
    {CloseReason::kRequestUnsent, "The response was complete before the request's body was sent."},
    {CloseReason::kPeerClosed, "The server closed it while it was idle."},
    {CloseReason::kIdleTimeout, "--idle-timeout was over."},
    {CloseReason::kKeepAliveTimeout, "Keep-Alive: timeout=N of the server, less a margin, was over."},
    {CloseReason::kKeepAliveMax, "Keep-Alive: max=N requests were made."},
    {CloseReason::kMaxIdle, "--max-idle: there was no place for it."},
    {CloseReason::kFailed, "A request on it failed."},
    {CloseReason::kTimedOut, "A request on it took too long."},
    {CloseReason::kDone, "The run was over."},
});
static_assert(kCloses.size() + 1 == client::kCloseReasons,
              "kNone has no word; every other one has a meaning");

constexpr auto kDrains = std::to_array<Meaning<DrainResult>>({
    {DrainResult::kComplete, "The body was read to its end."},
    {DrainResult::kDrained, "The rest was read and thrown away within --drain-bytes and --drain-time."},
    {DrainResult::kOverLimitKnown, "Not begun: Content-Length left more than --drain-bytes."},
    {DrainResult::kOverLimit, "Given up after --drain-bytes."},
    {DrainResult::kTimedOut, "Given up after --drain-time."},
    {DrainResult::kNotReusable,
     "Not begun: the connection could not have been used again. Written as not_reusable:WHY, WHY being one "
     "of "
     "the reasons of REUSE."},
    {DrainResult::kFailed, "The connection broke meanwhile, or the framing of the body."},
});
static_assert(kDrains.size() + 1 == client::kDrainResults,
              "kNone has no word; every other one has a meaning");

constexpr auto kFailures = std::to_array<Meaning<FailureKind>>({
    {FailureKind::kBadUrl, "The URL is malformed, or a redirect led to one that is."},
    {FailureKind::kResolveProxy, "The proxy's name could not be resolved."},
    {FailureKind::kResolve, "The host's name could not be resolved."},
    {FailureKind::kConnect, "No connection could be made."},
    {FailureKind::kBadResponse, "The answer was not HTTP."},
    {FailureKind::kCutShort, "The connection ended before the body was complete."},
    {FailureKind::kTimeout, "--max-time or --connect-timeout was over."},
    {FailureKind::kTls, "The TLS handshake failed."},
    {FailureKind::kRedirects, "More redirects than --max-redirs."},
    {FailureKind::kEmptyReply, "The server closed the connection before it answered."},
    {FailureKind::kSend, "Sending failed."},
    {FailureKind::kReceive, "Receiving failed, or the framing of the body was broken."},
    {FailureKind::kProxyRefused, "The proxy did not answer CONNECT with 2xx."},
    {FailureKind::kUntrusted, "The server's certificate is not trusted."},
    {FailureKind::kDecoding, "The body is not what Content-Encoding says."},
    {FailureKind::kCancelled, "The request was given up, by a signal or at the end of --duration."},
});

}  // namespace

std::vector<Text> miss_words() {
  std::vector<Text> rows;
  for (const auto& miss : kMisses)
    rows.push_back(
        {std::string(to_string(MissReason{miss.word, CloseReason::kNone})), std::string(miss.text)});
  return rows;
}

std::vector<Text> close_words() {
  std::vector<Text> rows;
  for (const auto& close : kCloses)
    rows.push_back({std::string(to_string(close.word)), std::string(close.text)});
  return rows;
}

std::vector<Text> drain_words() {
  std::vector<Text> rows;
  for (const auto& drain : kDrains)
    rows.push_back({std::string(to_string(drain.word)), std::string(drain.text)});
  return rows;
}

std::vector<FailureWord> failure_words() {
  std::vector<FailureWord> rows;
  for (const auto& failure : kFailures) {
    rows.push_back(
        {client::exit_code(failure.word), std::string(to_string(failure.word)), std::string(failure.text)});
  }
  return rows;
}

}  // namespace h2park::cmd
