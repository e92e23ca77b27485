#include "support/h1_peer.hpp"

#include "http1/server_session.hpp"

#include <gtest/gtest.h>

#include <memory_resource>

namespace h2park::test {
namespace {

Task<> say_hello(http::Request&, http::Responder& res) { co_await res.send("text/plain", "hello\n"); }

}  // namespace

H1Peer::H1Peer(http::Handler handler, http::SessionOptions with, bool secure)
    : driver(handler ? std::move(handler) : http::Handler(&say_hello)), options(with) {
  session =
      http1::make_server_session(std::pmr::get_default_resource(), options, driver, driver.budget, secure);
}

H1Peer::~H1Peer() {
  session.reset();
  driver.run_ready();
}

void H1Peer::write(std::string_view bytes) {
  session->receive(std::as_bytes(std::span(bytes)));
  settle();
}

void H1Peer::write_sliced(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) write(bytes.substr(i, 1));
}

void H1Peer::half_close() {
  session->receive_eof();
  settle();
}

void H1Peer::advance(Duration by) {
  driver.advance(by);
  if (session->deadline() <= driver.time.now()) session->on_deadline(driver.time.now());
  settle();
}

H1Response H1Peer::want_response(unsigned status, std::string_view method) {
  std::string_view rest = unread();
  const auto response = take_h1_response(rest, method);
  if (!response) {
    ADD_FAILURE() << "wanted a response " << status << ", got: " << unread();
    return {};
  }
  taken_ = sink.text.size() - rest.size();
  EXPECT_EQ(response->status, status) << response->body;
  return *response;
}

H1Response H1Peer::want_response(unsigned status, std::string_view body, std::string_view method) {
  H1Response response = want_response(status, method);
  EXPECT_EQ(response.body, body);
  return response;
}

H1Response H1Peer::want_informational(unsigned status) { return want_response(status, "GET"); }

void H1Peer::want_nothing() { EXPECT_EQ(unread(), ""); }

void H1Peer::want_open() {
  want_nothing();
  EXPECT_FALSE(session->finished()) << to_string(session->close_reason());
}

void H1Peer::want_close(http::CloseReason reason) {
  want_nothing();
  ASSERT_TRUE(session->finished());
  EXPECT_EQ(to_string(session->close_reason()), to_string(reason));
  EXPECT_FALSE(session->has_output());
  EXPECT_FALSE(session->wants_input());
}

void H1Peer::want_close(http::CloseReason reason, bool lingering) {
  want_close(reason);
  EXPECT_EQ(session->wants_lingering_close(), lingering);
}

void H1Peer::want_parked() {
  want_open();
  EXPECT_TRUE(session->can_park());
  EXPECT_EQ(session->buffered_bytes(), 0u);
}

}  // namespace h2park::test
