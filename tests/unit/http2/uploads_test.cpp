// Request bodies under flow control: windows are refilled as handlers read, never before.
#include "support/h2_peer.hpp"
#include "support/h2_routes.hpp"

#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using test::H2Peer;
using test::request;

class Uploads : public testing::Test {
 protected:
  Uploads() {
    peer.greet();
    connection_window = 65'535 + peer.windows[0];
    peer.windows.clear();
  }
  /// DATA frames of 16 KiB and less.
  void write(std::uint32_t stream, std::size_t bytes) {
    while (bytes > 0) {
      const std::size_t piece = std::min<std::size_t>(bytes, 16'384);
      peer.write_data(stream, std::string(piece, 'u'));
      bytes -= piece;
    }
  }

  H2Peer peer{test::h2_routes()};
  std::uint64_t connection_window = 0;
};

TEST_F(Uploads, StartWithOneMebibytePerConnection) { EXPECT_EQ(connection_window, 1024U * 1024U); }

TEST_F(Uploads, RefillTheWindowAsTheHandlerReads) {
  peer.write_headers(1, request("POST", "/upload"), false);
  std::size_t sent = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_GE(65'535 + peer.windows[1] - sent, 30'000U) << "the reading handler keeps the window open";
    write(1, 30'000);
    sent += 30'000;
  }
  peer.write_data(1, "", true);
  EXPECT_EQ(peer.response(1).body, "3000000");
  EXPECT_GT(peer.windows[0], 2'000'000U);
}

TEST_F(Uploads, DoNotRefillTheWindowOfAHandlerThatDoesNotRead) {
  peer.write_headers(1, request("POST", "/wait"), false);
  write(1, 65'535);
  EXPECT_EQ(peer.windows.count(1), 0U);
  EXPECT_EQ(peer.windows.count(0), 0U);
  EXPECT_GE(peer.memory.live, 65'535U);
  peer.want_alive();
}

TEST_F(Uploads, BeyondTheStreamWindowAreAnError) {
  peer.write_headers(1, request("POST", "/wait"), false);
  write(1, 65'536);
  peer.want_rst(1, test::kFlowControlError);
  EXPECT_EQ(peer.driver.live(), 0U);
}

TEST_F(Uploads, BeyondTheConnectionWindowEndIt) {
  std::size_t sent = 0;
  for (std::uint32_t stream = 1; sent <= connection_window; stream += 2) {
    peer.write_headers(stream, request("POST", "/wait"), false);
    write(stream, 65'535);
    sent += 65'535;
  }
  peer.want_goaway(test::kFlowControlError);
  peer.want_finished(http::CloseReason::kProtocol);
}

TEST_F(Uploads, ThatNobodyReadGiveTheirBytesBackToTheConnection) {
  for (std::uint32_t stream = 1; stream < 200; stream += 2) {  // six times the connection's window
    peer.write_headers(stream, request("POST", "/wait"), false);
    write(stream, 60'000);
    peer.send(test::rst_stream(stream, test::kCancel));
  }
  peer.want_alive();
  EXPECT_GT(peer.windows[0], 4'000'000U);
  EXPECT_LT(peer.memory.live, 30'000U);
}

TEST_F(Uploads, ToStreamsThatWeResetGiveTheirBytesBackToo) {
  peer.write_headers(1, request("POST", "/rst"), false);
  peer.want_rst(1, test::kCancel);
  for (int i = 0; i < 40; ++i) write(1, 60'000);
  peer.want_alive();
  EXPECT_GT(peer.windows[0], 1'000'000U);
}

TEST_F(Uploads, CountPaddingAsConsumed) {
  peer.write_headers(1, request("POST", "/wait"), false);
  const std::string padded = '\xff' + std::string(1, 'x') + std::string(255, '\0');
  for (int i = 0; i < 250; ++i) peer.send(test::frame(test::kData, test::kPadded, 1, padded));
  EXPECT_GT(peer.windows[1], 30'000U);
  peer.want_alive();
}

TEST_F(Uploads, EchoMoreThanAllWindows) {
  peer.send(test::settings_frame({{test::kInitialWindowSize, 16'000'000}}) +
            test::window_update(0, 16'000'000));
  peer.write_headers(1, request("POST", "/echo"), false);
  for (int i = 0; i < 150; ++i) write(1, 16'384);
  peer.write_data(1, "", true);
  EXPECT_TRUE(peer.response(1).body == std::string(150 * 16'384, 'u'));
  EXPECT_TRUE(peer.response(1).ended);
  EXPECT_LT(peer.memory.peak, 300'000U);
}

TEST_F(Uploads, OfADeadHandlerAreNotKept) {
  peer.write_headers(1, request("POST", "/throw-late"), false);
  peer.want_rst(1, test::kInternalError);
  write(1, 60'000);
  EXPECT_LT(peer.memory.live, 30'000U);
  peer.want_alive();
}

TEST_F(Uploads, ThatEndTellTheHandlerOfTheirEnd) {
  peer.write_headers(1, request("POST", "/upload"), false);
  EXPECT_EQ(peer.response(1).status, 0U);
  peer.write_data(1, "abc");
  EXPECT_EQ(peer.response(1).status, 0U);
  peer.write_data(1, "", true);
  EXPECT_EQ(peer.response(1).body, "3");
}

TEST_F(Uploads, ThatAreCutOffEndTheHandlersRead) {
  peer.write_headers(1, request("POST", "/upload"), false);
  peer.write_data(1, "abc");
  peer.session->receive_eof();
  peer.settle();
  EXPECT_EQ(peer.driver.live(), 0U);
  peer.want_finished(http::CloseReason::kClient);
}

}  // namespace
}  // namespace h2park::http2
