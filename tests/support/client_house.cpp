#include "support/client_house.hpp"

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace h2park::test {

using namespace std::chrono_literals;

ClientHouse::ClientHouse(ScriptedOrigin::Script script, const client::Options& options)
    : origin(reactor, std::move(script)),
      client(std::make_unique<client::Client>(reactor, origin, options)) {}

ClientHouse::~ClientHouse() {
  fetches.clear();  // gives up what is under way
  client.reset();
  reactor.turn();
}

Fetched& ClientHouse::begin(client::Request request) {
  Fetched& fetched = fetches.emplace_back();
  fetched.task = client->fetch(std::move(request), fetched, fetched.on_settled());
  return fetched;
}

Task<> ClientHouse::fetch_in_a_row(int count, std::uint64_t read_limit) {
  for (int i = 0; i < count; ++i) {
    Fetched& fetched = fetches.emplace_back();
    client::Request request = request_for("http://origin.test/");
    request.read_limit = read_limit;
    co_await client->fetch(std::move(request), fetched, fetched.on_settled());
  }
}

Fetched& ClientHouse::begin(const std::string& method, std::uint64_t read_limit) {
  client::Request request = request_for("http://origin.test/", method);
  request.read_limit = read_limit;
  return begin(std::move(request));
}

const client::Record& ClientHouse::settle(Fetched& fetched) {
  reactor.turn();
  for (int ms = 0; fetched.settled == 0 && ms < 60'000; ++ms) reactor.advance(1ms);
  EXPECT_EQ(fetched.settled, 1) << "not settled within a minute";
  return *fetched.record;
}

Fetched& ClientHouse::fetch(const std::string& method, std::uint64_t read_limit) {
  Fetched& fetched = begin(method, read_limit);
  reactor.turn();
  for (int us = 0; !fetched.is_answered() && us < 60'000'000; us += 100) reactor.advance(100us);
  EXPECT_TRUE(fetched.is_answered());
  return fetched;
}

std::string response_of(std::size_t bytes, const std::string& fields) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{}\r\n", bytes, fields) +
         std::string(bytes, 'x');
}

std::string chunked_response_of(std::size_t bytes, const std::string& trailers) {
  std::string response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  while (bytes > 0) {
    const std::size_t piece = std::min<std::size_t>(bytes, 16 * 1024);
    response += fmt::format("{:x}\r\n", piece) + std::string(piece, 'x') + "\r\n";
    bytes -= piece;
  }
  return response + "0\r\n" + trailers + "\r\n";
}

client::Request request_for(const std::string& url, const std::string& method) {
  client::Request request;
  request.url = client::parse_url(url).value();
  request.method = method;
  return request;
}

}  // namespace h2park::test
