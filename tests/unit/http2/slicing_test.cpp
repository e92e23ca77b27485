// However the input is cut, and whoever shares the frame buffer, the output is the same.
#include "support/h2_peer.hpp"
#include "support/h2_routes.hpp"

#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using test::frame;
using test::H2Peer;
using test::request;

/// A bit of everything that a well-behaved client says.
std::string dialogue() {
  const std::string continued = test::block(request("GET", "/info", {{"cookie", "a=1"}, {"cookie", "b=2"}}));
  std::string bytes =
      test::preface() + test::settings_frame({{test::kInitialWindowSize, 50}}) + test::settings_ack();
  bytes +=
      frame(test::kHeaders, 5, 1, test::block(request("GET", "/hello")) + test::indexed_literal("x", "y"));
  bytes += frame(test::kHeaders, test::kEndHeaders, 3, test::block(request("POST", "/echo")) + '\xbe');
  bytes += frame(test::kData, test::kPadded, 3,
                 "\x03"
                 "some data" +
                     std::string(3, '\0'));
  bytes += test::ping("12345678") + frame(0x42, 0x42, 3, "unknown") + test::priority(7, 3);
  bytes += frame(test::kData, 0, 3, "more data");
  bytes += frame(test::kHeaders, 5, 3, test::literal("checksum", "1"));
  bytes += frame(test::kHeaders, test::kEndStream | test::kPriorityFlag, 5,
                 test::number(0, 4) + '\x10' + continued.substr(0, 20));
  bytes += frame(test::kContinuation, test::kEndHeaders, 5, continued.substr(20));
  bytes += test::window_update(0, 1000) + test::window_update(5, 1000) +
           test::settings_frame({{test::kInitialWindowSize, 90}});
  bytes += frame(test::kHeaders, test::kEndHeaders, 7, test::block(request("POST", "/wait")));
  bytes += test::rst_stream(7, test::kCancel);
  bytes += frame(test::kHeaders, 5, 9, test::block(request("GET", "/trailers")));
  return bytes;
}

std::string output_of(const std::vector<std::string>& pieces) {
  H2Peer peer(test::h2_routes());
  for (const std::string& piece : pieces) peer.receive(piece);
  peer.settle();
  peer.want_alive();
  return peer.produced;
}

TEST(Slicing, DoesNotChangeTheOutput) {
  const std::string bytes = dialogue();
  const std::string expected = output_of({bytes});
  ASSERT_GT(expected.size(), 300U);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    ASSERT_EQ(output_of({bytes.substr(0, cut), bytes.substr(cut)}), expected) << "cut at " << cut;
  }
}

TEST(Slicing, IntoSingleBytesDoesNotChangeTheOutput) {
  const std::string bytes = dialogue();
  std::vector<std::string> single;
  for (const char c : bytes) single.emplace_back(1, c);
  EXPECT_EQ(output_of(single), output_of({bytes}));
}

/// What the client understands, whatever the order of frames.
void want_the_same_answers(H2Peer& peer, H2Peer& expected) {
  for (const std::uint32_t stream : {1U, 3U, 5U, 9U}) {
    EXPECT_EQ(peer.response(stream).status, expected.response(stream).status) << stream;
    EXPECT_EQ(peer.response(stream).body, expected.response(stream).body) << stream;
    EXPECT_EQ(peer.response(stream).trailers, expected.response(stream).trailers) << stream;
    EXPECT_TRUE(peer.response(stream).ended) << stream;
  }
}

TEST(Slicing, WithOutputBetweenGivesTheSameAnswers) {
  const std::string bytes = dialogue();
  H2Peer whole(test::h2_routes());
  whole.send(bytes);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    SCOPED_TRACE(cut);
    H2Peer peer(test::h2_routes());
    peer.send(bytes.substr(0, cut));
    peer.send(bytes.substr(cut));
    want_the_same_answers(peer, whole);
  }
}

TEST(Slicing, TheOutputWhereverTheTransportBlocksGivesTheSameAnswers) {
  const std::string bytes = dialogue();
  H2Peer whole(test::h2_routes());
  whole.send(bytes);
  for (std::size_t room = 1; room < 600; room += 7) {
    SCOPED_TRACE(room);
    H2Peer peer(test::h2_routes());
    peer.sink.open(room);
    peer.send(bytes);
    for (int i = 0; i < 600 && peer.session->has_output(); ++i) {
      peer.sink.open(room);
      peer.settle();
    }
    want_the_same_answers(peer, whole);
  }
}

TEST(SharedFrameBuffer, ServesSessionsThatTakeTurns) {
  SessionFactory factory({});
  H2Peer a(test::h2_routes(), factory);
  H2Peer b(test::h2_routes(), factory);
  const std::string bytes = dialogue();
  const std::string expected = output_of({bytes});
  // Both get the same input in alternating pieces and produce in between.
  H2Peer alone(test::h2_routes());
  for (std::size_t at = 0; at < bytes.size(); at += 13) {
    a.send(bytes.substr(at, 13));
    b.send(bytes.substr(at, 13));
    alone.send(bytes.substr(at, 13));
  }
  EXPECT_EQ(a.produced, alone.produced);
  EXPECT_EQ(b.produced, alone.produced);
}

TEST(SharedFrameBuffer, ServesManySessionsWithResponsesThatStall) {
  SessionFactory factory({});
  std::vector<std::unique_ptr<H2Peer>> peers;
  for (int i = 0; i < 20; ++i) {
    peers.push_back(std::make_unique<H2Peer>(test::h2_routes(), factory));
    peers.back()->greet({{test::kInitialWindowSize, 100'000}});
    for (std::uint32_t id = 1; id < 20; id += 2)
      peers.back()->write_headers(id, request("GET", "/source?n=30000"));
  }
  for (int round = 0; round < 10; ++round) {
    for (auto& peer : peers) {
      peer->sink.open(static_cast<std::size_t>(round) * 1'000);
      peer->send(test::window_update(0, 50'000));
    }
  }
  for (auto& peer : peers) {
    peer->sink.open();
    peer->settle();
    for (std::uint32_t id = 1; id < 20; id += 2)
      EXPECT_TRUE(peer->response(id).body == std::string(30'000, 's'));
  }
}

TEST(SharedFrameBuffer, IsNotTouchedBetweenCalls) {
  // Another session scribbles over the buffer whenever this one is not being called.
  SessionFactory factory({});
  H2Peer a(test::h2_routes(), factory);
  H2Peer noise(test::h2_routes(), factory);
  noise.greet();
  a.greet();
  a.write_headers(1, request("GET", "/big-head?n=60000"));  // CONTINUATION uses more than the one buffer
  noise.write_headers(1, request("GET", "/big-head?n=60000"));
  a.write_headers(3, request("GET", "/hello"));
  noise.write_headers(3, request("GET", "/hello"));
  EXPECT_TRUE(a.response(1).field("x-big") == std::string(60'000, 'h'));
  EXPECT_TRUE(noise.response(1).field("x-big") == std::string(60'000, 'h'));
  EXPECT_EQ(a.response(3).body, "hello\n");
}

}  // namespace
}  // namespace h2park::http2
