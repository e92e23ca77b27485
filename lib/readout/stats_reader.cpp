#include "readout/stats_reader.hpp"

#include "base/units.hpp"
#include "readout/deadline_socket.hpp"
#include "stats/json.hpp"

#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace h2park::readout {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Response = http::response<http::string_body>;

constexpr std::uint32_t kMaxHead = 16 * 1024;

// Host is not the address: the endpoint refuses a port that is not its own, and a tunnel to it has another
// one.
std::string request_with(const std::string& token) {
  std::string request =
      "GET /stats.json HTTP/1.1\r\n"
      "Host: localhost\r\n"
      "User-Agent: h2park-stat/" H2PARK_VERSION
      "\r\n"
      "Accept: application/json\r\n";
  if (!token.empty()) request += "Authorization: Bearer " + token + "\r\n";
  return request + "Connection: close\r\n\r\n";
}

std::unexpected<Error> stranger(const std::string& because) {
  return fail("whoever listens there is not the stats endpoint of h2park (" + because + ")");
}

std::unexpected<Error> closed_early() {
  return fail("the connection was closed before the answer was complete");
}

std::unexpected<Error> faulty(error_code error) {
  if (error == http::error::partial_message) return closed_early();
  if (error == http::error::body_limit || error == http::error::header_limit) {
    return stranger("it answers with more than " + format_size(kMaxStatsBytes));
  }
  return stranger("its answer is not HTTP/1: " + error.message());
}

/// Puts bytes of an answer together.
class Answer {
 public:
  Answer() {
    parser_.header_limit(kMaxHead);
    parser_.body_limit(kMaxStatsBytes);
    parser_.eager(true);
  }

  bool complete() const { return parser_.is_done(); }
  Response take() { return parser_.release(); }

  Result<> add(std::string_view bytes) {
    input_.commit(asio::buffer_copy(input_.prepare(bytes.size()), asio::buffer(bytes)));
    error_code error;
    while (!error && !complete() && input_.size() > 0) {
      const std::size_t used = parser_.put(input_.data(), error);
      input_.consume(used);
    }
    if (error && error != http::error::need_more) return faulty(error);
    return {};
  }
  Result<> end() {
    error_code error;
    if (!parser_.got_some()) return closed_early();
    parser_.put_eof(error);
    if (error) return faulty(error);
    return {};
  }

 private:
  http::response_parser<http::string_body> parser_;
  beast::flat_buffer input_;
};

Result<Response> exchange(DeadlineSocket& socket, const std::string& token) {
  if (auto sent = socket.send(request_with(token)); !sent) return std::unexpected(sent.error());
  Answer answer;
  std::array<char, 4096> bytes;
  while (!answer.complete()) {
    const auto received = socket.receive(bytes);
    if (!received) return std::unexpected(received.error());
    const auto added = *received > 0 ? answer.add({bytes.data(), *received}) : answer.end();
    if (!added) return std::unexpected(added.error());
  }
  return answer.take();
}

Result<StatsAnswer> understand(Response response, bool with_token) {
  // RFC 6750 3.1
  if (response.result() == http::status::unauthorized) {
    return fail(with_token ? "it does not accept this token" : "it wants a token (--stats-token)");
  }
  if (response.result() != http::status::ok) {
    return stranger("HTTP status " + std::to_string(response.result_int()));
  }
  auto snapshot = stats::from_json(response.body());
  if (!snapshot) return stranger("its answer is " + snapshot.error().message);
  return StatsAnswer{.json = std::move(response.body()), .snapshot = std::move(*snapshot)};
}

Result<StatsAnswer> ask(const net::Endpoint& endpoint, const StatsQuery& query) {
  const auto addresses = net::resolve(endpoint);
  if (!addresses) return std::unexpected(addresses.error());
  auto socket = DeadlineSocket::connect(*addresses, query.timeout, query.stop_fd);
  if (!socket) return std::unexpected(socket.error());
  auto response = exchange(*socket, query.token);
  if (!response) return std::unexpected(response.error());
  return understand(std::move(*response), !query.token.empty());
}

}  // namespace

Result<StatsAnswer> read_stats(const net::Endpoint& endpoint, const StatsQuery& query) {
  auto answer = ask(endpoint, query);
  if (!answer) return fail("cannot read stats from " + endpoint.text() + ": " + answer.error().message);
  return answer;
}

}  // namespace h2park::readout
