// An HTTP/1 client in memory, and the vocabulary of the session's tests.
//
//   H1Peer h1(handler);
//   h1.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
//   h1.want_response(200, "hello\n");
//   h1.want_open();
#pragma once

#include "base/clock.hpp"
#include "http/session.hpp"
#include "support/exchange_driver.hpp"
#include "support/h1_response.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2park::test {

class H1Peer {
 public:
  /// The default handler says "hello\n".
  explicit H1Peer(http::Handler handler = {}, http::SessionOptions options = {}, bool secure = false);
  ~H1Peer();

  // ---- what the client does
  void write(std::string_view bytes);
  /// One receive() per byte.
  void write_sliced(std::string_view bytes);
  void half_close();
  void advance(Duration by);

  // ---- what it expects
  /// The next response that is not 1xx; `method` says whether a body follows.
  H1Response want_response(unsigned status, std::string_view method = "GET");
  H1Response want_response(unsigned status, std::string_view body, std::string_view method);
  H1Response want_informational(unsigned status);
  void want_nothing();
  void want_open();
  void want_close(http::CloseReason reason, bool lingering);
  void want_close(http::CloseReason reason);
  void want_parked();

  /// Everything the session has written and no want_... has taken.
  std::string_view unread() const { return std::string_view(sink.text).substr(taken_); }
  void settle() { driver.settle(*session, sink); }

  ExchangeDriver driver;
  MemorySink sink;
  http::SessionOptions options;
  std::unique_ptr<http::Session> session;

 private:
  std::size_t taken_ = 0;
};

}  // namespace h2park::test
