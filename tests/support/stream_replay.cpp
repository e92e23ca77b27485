#include "support/stream_replay.hpp"

#include "handlers/routes.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

namespace h2park::test {
namespace {

using namespace std::chrono_literals;

// Every exchange has an id already, its number on the connection: those that are made are random.
http::Handler with_fixed_ids(http::Handler inner) {
  return [inner = std::move(inner)](http::Request& request, http::Responder& responder) {
    http::Exchange& exchange = request.exchange();
    exchange.request_id = "request-" + std::to_string(exchange.number);
    return inner(request, responder);
  };
}

WorkerHouse make_house(bool freezing) {
  const server::Options options = freezing ? WorkerHouse::freezing_options() : WorkerHouse::default_options();
  return WorkerHouse(options, with_fixed_ids(*handlers::make_handler(options.handlers, nullptr)), [] {});
}

// Ticks after the client's last byte, for what takes its time.
constexpr int kTicks = 8;

// Enough for every recording's answers; an endless one stops here.
constexpr std::size_t kMostHeard = std::size_t{256} * 1024;

// TLS: how the client cuts its text into records, in turn; the last takes what is left.
constexpr std::array<std::size_t, 6> kRecords{24, 9, 100, 1, 333, 16'384};

}  // namespace

// The client's end of the socket.
class StreamReplay::Client {
 public:
  Client(net::UniqueFd socket, const Plan& plan) : socket_(std::move(socket)), text_(plan.bytes) {
    if (plan.tls != nullptr) {
      tls_.emplace(*plan.tls);
    } else {
      pending_ = text_;
    }
  }

  /// What it has to send now, as goes over the wire.
  std::string& pending() {
    if (tls_) {
      if (!tls_->done()) tls_->handshake();
      if (tls_->done()) write_records();
      pending_ += tls_->take_output();
    }
    return pending_;
  }
  /// False: the server has closed.
  bool send(std::string_view bytes) {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == std::ssize(bytes);
  }
  /// Everything that has come, decrypted; how many bytes that were on the wire.
  std::size_t receive(std::string& text) {
    std::array<char, 16'384> room;
    std::size_t bytes = 0;
    for (;;) {
      const ssize_t n = ::recv(socket_.get(), room.data(), room.size(), 0);
      if (n == 0 || (n < 0 && errno == ECONNRESET)) closed_ = true;
      if (n <= 0) break;
      bytes += static_cast<std::size_t>(n);
      if (tls_) {
        tls_->put_input({room.data(), static_cast<std::size_t>(n)});
      } else {
        text.append(room.data(), static_cast<std::size_t>(n));
      }
    }
    if (tls_ && !tls_->done()) tls_->handshake();
    if (tls_ && tls_->done()) text += tls_->read();
    return bytes;
  }
  bool closed() const { return closed_; }
  void close() { socket_.reset(); }
  void half_close() { ::shutdown(socket_.get(), SHUT_WR); }

 private:
  void write_records() {
    for (std::size_t i = 0; !text_.empty(); ++i) {
      const std::size_t bytes = std::min(text_.size(), kRecords[std::min(i, kRecords.size() - 1)]);
      tls_->write(text_.substr(0, bytes));
      text_.remove_prefix(bytes);
    }
  }

  net::UniqueFd socket_;
  std::optional<tls::TlsClient> tls_;
  std::string_view text_;
  std::string pending_;
  bool closed_ = false;
};

std::size_t StreamReplay::Outcome::rests() const {
  return static_cast<std::size_t>(std::ranges::count(rested, true));
}

StreamReplay::StreamReplay(bool freezing) : house(make_house(freezing)), freezing_(freezing) {}

StreamReplay::Outcome StreamReplay::play(const Plan& plan) {
  house.share.next_number.store(1);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error("socketpair failed");
  Client client(net::UniqueFd(ends[1]), plan);
  const auto id = house.worker.adopt(net::UniqueFd(ends[0]), plan.tls != nullptr ? &house.tls() : nullptr);
  if (!id) throw std::runtime_error("the worker refuses a connection");
  ticket_ = &house.worker.tickets()[id->index];

  Outcome outcome;
  std::array<std::uint64_t, http::kCloseReasons> closed{};
  for (std::size_t i = 0; i < closed.size(); ++i) closed[i] = house.worker.counters().closed[i].get();
  send(client, plan, outcome);
  end(client, outcome);
  for (std::size_t i = 0; i < closed.size(); ++i) {
    if (house.worker.counters().closed[i].get() != closed[i]) outcome.closed_for = i;
  }
  return outcome;
}

// Lets the server do and say all that it has to, and then rest.
void StreamReplay::pass(Client& client, Outcome& outcome) {
  std::string& said = outcome.said.emplace_back();
  std::size_t heard = 0;
  for (std::size_t bytes = 1; bytes > 0 && heard < kMostHeard; heard += bytes) {
    house.settle();
    bytes = client.receive(said);
  }
  const bool rest = rests();
  outcome.rested.push_back(rest);
  if (rest) at_rest(*ticket_, outcome.sent);
}

void StreamReplay::send(Client& client, const Plan& plan, Outcome& outcome) {
  pass(client, outcome);
  auto cut = plan.cuts.begin();
  for (std::string* pending; !(pending = &client.pending())->empty();) {
    while (cut != plan.cuts.end() && *cut <= outcome.sent) ++cut;
    const std::size_t room = cut == plan.cuts.end() ? pending->size() : *cut - outcome.sent;
    const std::size_t bytes = std::min(pending->size(), room);
    if (!client.send(std::string_view(*pending).substr(0, bytes))) return;
    pending->erase(0, bytes);
    outcome.sent += bytes;
    pass(client, outcome);
    house.time.advance(plan.step);
    pass(client, outcome);
  }
}

void StreamReplay::end(Client& client, Outcome& outcome) {
  for (int i = 0; i < kTicks && !client.closed(); ++i) {
    house.time.advance(100ms);
    pass(client, outcome);
  }
  outcome.closed_first = client.closed();
  client.half_close();
  pass(client, outcome);
  client.close();
  house.settle();
  // A lingering close ends within seconds; a handler that does not mind its client's end is given a day.
  for (Duration wait = 1s; house.open() != 0 && wait < 24h; wait *= 2) house.advance(wait);
  if (house.open() != 0) throw std::runtime_error("the connection does not end");
}

std::string first_difference(const StreamReplay::Outcome& wanted, const StreamReplay::Outcome& got) {
  for (std::size_t i = 0; i < std::min(wanted.said.size(), got.said.size()); ++i) {
    const auto step = "step " + std::to_string(i) + ": ";
    if (wanted.said[i] != got.said[i]) {
      const auto [at, _] = std::ranges::mismatch(wanted.said[i], got.said[i]);
      return step + "said " + std::to_string(got.said[i].size()) + " bytes, not " +
             std::to_string(wanted.said[i].size()) + ", which differ from byte " +
             std::to_string(at - wanted.said[i].begin()) + " on";
    }
    if (wanted.rested[i] != got.rested[i]) return step + (got.rested[i] ? "rested" : "did not rest");
  }
  if (wanted.said.size() != got.said.size()) return "ended at another step";
  if (wanted.closed_for != got.closed_for || wanted.closed_first != got.closed_first)
    return "closed for another reason";
  return wanted == got ? "" : "sent another number of bytes";
}

}  // namespace h2park::test
