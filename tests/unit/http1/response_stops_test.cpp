// Where a reader stops, what it says there, and responses one after the other.
#include "http1/response_reader.hpp"
#include "response_reading.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace h2park::test {
namespace {

using std::chrono::seconds;

const std::string kLengthHead = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";
const std::string kChunkedHead = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const std::string kCloseHead = "HTTP/1.1 200 OK\r\n\r\n";

// A reader in the middle of things.
class Stops : public testing::Test {
 protected:
  // Takes from `pending` and returns what was handed over by that.
  std::string take(std::uint64_t room) {
    const std::size_t before = recorder.body.size();
    pending.erase(0, reader.take(pending, room, recorder));
    return recorder.body.substr(before);
  }

  void begin(std::string input, const RequestTraits& traits = {}) {
    pending = std::move(input);
    reader.begin(traits);
  }

  ResponseReader reader;
  ResponseRecorder recorder;
  std::string pending;
};

TEST_F(Stops, AtTheEndOfTheHeadHoweverMuchRoomThereIs) {
  begin(kLengthHead + "0123456789");
  EXPECT_EQ(take(kAllRoom), "");
  EXPECT_EQ(reader.state(), State::kBody);
  EXPECT_EQ(pending, "0123456789");
  EXPECT_EQ(reader.body_end(), BodyEnd::kLength);
  EXPECT_EQ(reader.body_left(), 10u);
  EXPECT_EQ(reader.persistence(), Persistence::kReusable);
  EXPECT_EQ(take(kAllRoom), "0123456789");
  EXPECT_EQ(reader.state(), State::kComplete);
  EXPECT_EQ(reader.body_left(), 0u);
}

TEST_F(Stops, WithinALengthExactlyAtTheRoom) {
  begin(kLengthHead + "0123456789next");
  take(0);
  EXPECT_EQ(take(0), "");
  EXPECT_EQ(reader.body_left(), 10u);
  EXPECT_EQ(take(3), "012");
  EXPECT_EQ(reader.body_left(), 7u);
  EXPECT_EQ(take(7), "3456789");
  EXPECT_EQ(reader.state(), State::kComplete);
  EXPECT_EQ(take(7), "");
  EXPECT_EQ(pending, "next");
}

TEST_F(Stops, WithinChunksExactlyAtTheRoom) {
  begin(kChunkedHead + "3\r\n012\r\n4\r\n3456\r\n3\r\n789\r\n0\r\na: b\r\n\r\nnext");
  take(0);
  EXPECT_EQ(reader.body_end(), BodyEnd::kChunked);
  EXPECT_EQ(reader.body_left(), std::nullopt);
  EXPECT_EQ(take(1), "0");
  EXPECT_EQ(take(4), "1234");
  EXPECT_EQ(recorder.body_events, 3u) << "across chunks in one call";
  EXPECT_EQ(reader.body_left(), std::nullopt);
  EXPECT_EQ(reader.state(), State::kBody);
  EXPECT_EQ(take(5), "56789");
  EXPECT_EQ(reader.state(), State::kComplete) << "what follows the content is framing only";
  EXPECT_EQ(reader.body_left(), 0u);
  EXPECT_EQ(pending, "next");
}

TEST_F(Stops, BeforeContentButReadsFramingWithoutRoom) {
  begin(kChunkedHead + "1\r\nx\r\n000000\r\n\r\n");
  take(0);
  EXPECT_EQ(take(0), "");
  EXPECT_EQ(pending, "x\r\n000000\r\n\r\n");
  EXPECT_EQ(take(0), "");
  EXPECT_EQ(pending, "x\r\n000000\r\n\r\n");
  EXPECT_EQ(take(1), "x");
  EXPECT_EQ(reader.state(), State::kComplete);
}

TEST_F(Stops, WithinAnEndlessBodyAtTheRoom) {
  begin(kCloseHead + "0123456789");
  take(kAllRoom);
  EXPECT_EQ(reader.body_end(), BodyEnd::kClose);
  EXPECT_EQ(reader.body_left(), std::nullopt);
  EXPECT_EQ(take(4), "0123");
  EXPECT_EQ(take(kAllRoom), "456789");
  EXPECT_EQ(reader.state(), State::kBody);
  reader.end_of_input(pending);
  EXPECT_EQ(reader.state(), State::kComplete);
  EXPECT_EQ(reader.persistence(), Persistence::kUntilClose);
  EXPECT_EQ(reader.body_left(), 0u);
}

TEST_F(Stops, CountsHugeLengthsAndChunksExactly) {
  begin("HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551615\r\n\r\nabc");
  take(0);
  EXPECT_EQ(take(kAllRoom), "abc");
  EXPECT_EQ(reader.body_left(), 18446744073709551612u);

  ResponseReader second;
  const Reading chunks = read_response(second, {}, kChunkedHead + "ffffffffffffffff\r\nabc\r\n0\r\n\r\n", {});
  EXPECT_EQ(chunks.body, "abc\r\n0\r\n\r\n") << "all of it is data";
  EXPECT_EQ(chunks.state, State::kBody);
}

TEST_F(Stops, SaysWhetherAnyByteOfTheResponseCame) {
  begin("H");
  EXPECT_FALSE(reader.started());
  take(0);
  EXPECT_TRUE(reader.started());
  EXPECT_EQ(reader.state(), State::kHead);
  reader.end_of_input("");
  EXPECT_EQ(reader.fault(), ResponseFault::kCutShort);
}

TEST_F(Stops, CallsACloseBeforeTheFirstByteAnEmptyReply) {
  begin("");
  take(kAllRoom);
  reader.end_of_input("");
  EXPECT_EQ(reader.state(), State::kFailed);
  EXPECT_EQ(reader.fault(), ResponseFault::kEmptyReply);
  EXPECT_FALSE(reader.started());
}

// What decides about a retry on a connection that was used before (RFC 9112 9.3.1).
TEST_F(Stops, CallsACloseInsteadOfTheNextResponseAnEmptyReplyToo) {
  EXPECT_EQ(read_response(reader, {}, kLengthHead + "0123456789", {}).state, State::kComplete);
  EXPECT_TRUE(reader.started());
  begin("");
  EXPECT_FALSE(reader.started());
  reader.end_of_input("");
  EXPECT_EQ(reader.fault(), ResponseFault::kEmptyReply);
}

TEST_F(Stops, CallsACloseAfterA1xxCutShort) {
  begin("HTTP/1.1 100 Continue\r\n\r\n");
  take(kAllRoom);
  EXPECT_EQ(reader.state(), State::kHead);
  EXPECT_TRUE(reader.started());
  reader.end_of_input("");
  EXPECT_EQ(reader.fault(), ResponseFault::kCutShort);
}

TEST_F(Stops, CallsACloseWithUntakenBytesOfAHeadCutShort) {
  begin("");
  reader.end_of_input("HTTP");
  EXPECT_EQ(reader.fault(), ResponseFault::kCutShort);
}

// The peer's close may be noticed while content still waits for room.
TEST_F(Stops, WaitsForContentInHandBeforeItJudgesAClose) {
  begin(kCloseHead + "0123456789");
  take(0);
  take(2);
  reader.end_of_input(pending);
  EXPECT_EQ(reader.state(), State::kBody);
  EXPECT_EQ(take(7), "2345678");
  EXPECT_EQ(reader.state(), State::kBody);
  EXPECT_EQ(take(7), "9");
  EXPECT_EQ(reader.state(), State::kComplete);

  begin(kLengthHead + "012345678");
  take(0);
  reader.end_of_input(pending);
  take(8);
  EXPECT_EQ(reader.state(), State::kBody);
  take(1);
  EXPECT_EQ(reader.fault(), ResponseFault::kCutShort);

  begin(kChunkedHead + "2\r\nab\r\n0\r\n\r\n");
  take(0);
  take(1);
  reader.end_of_input(pending);
  take(1);
  EXPECT_EQ(reader.state(), State::kComplete) << "all of it had come";
}

TEST_F(Stops, IsNotMovedByACloseAfterTheEnd) {
  begin(kLengthHead + "0123456789");
  take(0);
  take(10);
  reader.end_of_input("");
  EXPECT_EQ(reader.state(), State::kComplete);
  EXPECT_EQ(reader.fault(), ResponseFault::kNone);
  EXPECT_EQ(reader.persistence(), Persistence::kReusable);
}

TEST_F(Stops, ShowsItsStateToTheSinkAlready) {
  struct Asking final : http1::ResponseSink {
    explicit Asking(ResponseReader& reader) : reader_(reader) {}
    void on_informational(const http1::ResponseHead&) override {}
    void on_head(const http1::ResponseHead&) override { left = reader_.body_left(), state = reader_.state(); }
    void on_body(std::string_view) override {}
    void on_trailer(std::string_view, std::string_view) override {}
    ResponseReader& reader_;
    std::optional<std::uint64_t> left;
    State state = State::kHead;
  };
  Asking asking(reader);
  reader.begin({});
  reader.take(kLengthHead, 0, asking);
  EXPECT_EQ(asking.state, State::kBody);
  EXPECT_EQ(asking.left, 10u);
}

struct Hints {
  const char* field;
  std::optional<seconds> timeout;
  std::optional<unsigned> max;
};

TEST_F(Stops, ReadsKeepAliveHints) {
  const Hints cases[] = {
      {"x: y", {}, {}},
      {"keep-alive: timeout=5, max=100", seconds(5), 100u},
      {"Keep-Alive: MAX=0 ,Timeout = 15", seconds(15), 0u},
      {"keep-alive: timeout=5\r\nkeep-alive: max=7, timeout=3", seconds(3), 7u},
      {"keep-alive: max=3, timeout=3, timeout=5, max=7", seconds(3), 3u},
      {"keep-alive: timeout=4294967295", seconds(4294967295), {}},
      {"keep-alive: timeout=4294967296, max=-1", {}, {}},
      {"keep-alive: timeout, max=, =3, timeout=5s, max=0x5, max=+1", {}, {}},
      {"keep-alive: timeout=\"5\"; max=3", {}, {}},
      {"keep-alive: 300", {}, {}},
      {"connection: keep-alive, timeout=5", {}, {}},
  };
  for (const Hints& want : cases) {
    begin("HTTP/1.1 204 N\r\n" + std::string(want.field) + "\r\n\r\n");
    take(0);
    EXPECT_EQ(reader.keep_alive_timeout(), want.timeout) << want.field;
    EXPECT_EQ(reader.keep_alive_max(), want.max) << want.field;
  }
}

// ---- one after the other

TEST_F(Stops, ReadsOneResponseAfterTheOtherFromOneBuffer) {
  const std::string kinds[] = {
      kLengthHead + "0123456789",
      "HTTP/1.1 103 E\r\nconnection: close\r\na: b\r\n\r\nHTTP/1.1 204 N\r\n\r\n",
      kChunkedHead + "5\r\nhello\r\n0\r\nt: u\r\n\r\n",
      "HTTP/1.0 304 N\r\nconnection: keep-alive\r\nkeep-alive: timeout=1\r\n\r\n",
      kChunkedHead + "0\r\n\r\n",
  };
  std::string all;
  for (int i = 0; i < 200; ++i) all += kinds[i % 5];
  for (int i = 0; i < 200; ++i) {
    const Reading got = read_response(reader, {}, all, {});
    const Reading alone = read_response({}, kinds[i % 5]);
    ASSERT_EQ(got.state, State::kComplete) << i;
    ASSERT_EQ(got.events, alone.events) << "nothing of an earlier response is left";
    ASSERT_EQ(got.body, alone.body);
    ASSERT_EQ(got.persistence, alone.persistence);
    ASSERT_EQ(reader.keep_alive_timeout().has_value(), i % 5 == 3);
    ASSERT_EQ(got.rest.size(), all.size() - kinds[i % 5].size());
    all = got.rest;
  }
  EXPECT_EQ(all, "");
}

TEST_F(Stops, CountsInformationalResponsesPerResponse) {
  ResponseReader strict({.informational = 1});
  const std::string one = "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 204 N\r\n\r\n";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read_response(strict, {}, one, {}).state, State::kComplete);
}

TEST_F(Stops, ForgetsTheTraitsOfTheRequestBefore) {
  EXPECT_EQ(read_response(reader, {.head = true}, kLengthHead, {}).state, State::kComplete);
  EXPECT_EQ(read_response(reader, {}, kLengthHead, {}).state, State::kBody);
}

}  // namespace
}  // namespace h2park::test
