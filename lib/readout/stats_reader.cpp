#include "readout/stats_reader.hpp"

#include "base/units.hpp"
#include "net/socket_address.hpp"
#include "stats/json.hpp"

#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace h2park::readout {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Stream = beast::basic_stream<asio::generic::stream_protocol, asio::io_context::executor_type>;

constexpr std::uint32_t kMaxHead = 16 * 1024;
const std::string kStranger = "whoever listens there is not the stats endpoint of h2park ";

struct Outcome {
  error_code error;
  http::response<http::string_body> response;
};

/// Tries one address after the other; the error of the last one.
asio::awaitable<error_code> connect(Stream& stream, const std::vector<net::SocketAddress>& addresses) {
  error_code error;
  for (const net::SocketAddress& address : addresses) {
    if (stream.socket().is_open()) stream.socket().close();
    const asio::generic::stream_protocol::endpoint endpoint(address.get(), address.size);
    co_await stream.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, error));
    if (!error || error == beast::error::timeout) break;
  }
  co_return error;
}

http::request<http::empty_body> make_request() {
  http::request<http::empty_body> request(http::verb::get, "/stats.json", 11);
  // Not the address: the endpoint refuses a port that is not its own, and a tunnel has another one.
  request.set(http::field::host, "localhost");
  request.set(http::field::user_agent, "h2park-stat/" H2PARK_VERSION);
  request.set(http::field::accept, "application/json");
  request.keep_alive(false);
  return request;
}

asio::awaitable<void> exchange(Stream& stream, const std::vector<net::SocketAddress>& addresses,
                               Outcome& out) {
  out.error = co_await connect(stream, addresses);
  if (out.error) co_return;
  const http::request<http::empty_body> request = make_request();
  co_await http::async_write(stream, request, asio::redirect_error(asio::use_awaitable, out.error));
  if (out.error) co_return;
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.header_limit(kMaxHead);
  parser.body_limit(kMaxStatsBytes);
  co_await http::async_read(stream, buffer, parser, asio::redirect_error(asio::use_awaitable, out.error));
  out.response = parser.release();
}

std::string reason_of(error_code error, Duration timeout) {
  if (error == beast::error::timeout) return "no answer within " + format_duration(timeout);
  if (error == http::error::body_limit || error == http::error::header_limit) {
    return kStranger + "(it answers with more than " + format_size(kMaxStatsBytes) + ")";
  }
  if (error == http::error::end_of_stream || error == http::error::partial_message) {
    return "the connection was closed before the answer was complete";
  }
  if (error.category() == make_error_code(http::error::bad_version).category()) {
    return kStranger + "(its answer is not HTTP/1: " + error.message() + ")";
  }
  return error.message();
}

Result<StatsAnswer> understand(http::response<http::string_body> response) {
  if (response.result() != http::status::ok) {
    return fail(kStranger + "(HTTP status " + std::to_string(response.result_int()) + ")");
  }
  auto snapshot = stats::from_json(response.body());
  if (!snapshot) return fail(kStranger + "(its answer is " + snapshot.error().message + ")");
  return StatsAnswer{.json = std::move(response.body()), .snapshot = std::move(*snapshot)};
}

Result<StatsAnswer> ask(const net::Endpoint& endpoint, Duration timeout) {
  const auto addresses = net::resolve(endpoint);
  if (!addresses) return std::unexpected(addresses.error());
  asio::io_context io{1};
  Stream stream(io);
  stream.expires_after(timeout);  // one deadline for everything
  Outcome outcome;
  asio::co_spawn(io, exchange(stream, *addresses, outcome), asio::detached);
  io.run();
  if (outcome.error) return fail(reason_of(outcome.error, timeout));
  return understand(std::move(outcome.response));
}

}  // namespace

Result<StatsAnswer> read_stats(const net::Endpoint& endpoint, Duration timeout) {
  auto answer = ask(endpoint, timeout);
  if (!answer) return fail("cannot read stats from " + endpoint.text() + ": " + answer.error().message);
  return answer;
}

}  // namespace h2park::readout
