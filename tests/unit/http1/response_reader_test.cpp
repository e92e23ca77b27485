// Well-formed responses, each read in every way it can be cut: content, framing, persistence, and what is
// left.
#include "http1/response_reader.hpp"

#include "response_reading.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace h2park::test {
namespace {

using enum BodyEnd;
using enum Persistence;

constexpr RequestTraits kGet;
constexpr RequestTraits kHeadMethod{.head = true};
constexpr RequestTraits kConnect{.connect = true};
constexpr RequestTraits kUpgrade{.upgrade = true};

struct Case {
  const char* name;
  std::string input;
  std::string body;
  BodyEnd body_end;
  Persistence persistence;
  std::string rest = {};
  RequestTraits traits = kGet;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string response(std::string_view status_line, std::string_view fields, std::string_view body = {}) {
  return std::string(status_line) + "\r\n" + std::string(fields) + "\r\n" + std::string(body);
}
std::string ok(std::string_view fields, std::string_view body = {}) {
  return response("HTTP/1.1 200 OK", fields, body);
}
std::string old(std::string_view fields, std::string_view body = {}) {
  return response("HTTP/1.0 200 OK", fields, body);
}
std::string chunked(std::string_view body) { return ok("transfer-encoding: chunked\r\n", body); }

const std::string kLength5 = "content-length: 5\r\n";
const std::string kHello = "5\r\nhello\r\n0\r\n\r\n";
const std::string kSecond = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n";

const Case kCases[] = {
    // lengths
    {"Length", ok(kLength5, "hello"), "hello", kLength, kReusable},
    {"LengthZero", ok("content-length: 0\r\n"), "", kNone, kReusable},
    {"LengthWithLeadingZeros", ok("content-length: 0000000000000000000000005\r\n", "hello"), "hello", kLength,
     kReusable},
    {"LengthListOfEqualValues", ok("content-length: 5, 5\r\n", "hello"), "hello", kLength, kReusable},
    {"LengthFieldsOfEqualValues", ok(kLength5 + "Content-Length: 05\r\n", "hello"), "hello", kLength,
     kReusable},
    {"C1BodyLongerThanItsLength", ok(kLength5, "hello, world"), "hello", kLength, kReusable, ", world"},
    {"C3SecondResponseInTheSameSegment", ok(kLength5, "hello" + kSecond), "hello", kLength, kReusable,
     kSecond},
    {"C3SecondResponseAfterNoBody", ok("content-length: 0\r\n", kSecond), "", kNone, kReusable, kSecond},
    {"ExtraLineEnd", ok(kLength5, "hello\r\n"), "hello", kLength, kReusable, "\r\n"},
    // chunks
    {"Chunked", chunked(kHello), "hello", kChunked, kReusable},
    {"ChunkedInSeveral", chunked("1\r\nh\r\n3\r\nell\r\n01\r\no\r\n0\r\n\r\n"), "hello", kChunked, kReusable},
    {"ChunkedWithoutContent", chunked("0\r\n\r\n"), "", kChunked, kReusable},
    {"ChunkedAnyCase", ok("Transfer-Encoding: ChunkeD\r\n", kHello), "hello", kChunked, kReusable},
    {"C3SecondResponseAfterChunks", chunked(kHello + kSecond), "hello", kChunked, kReusable, kSecond},
    {"C7Trailers", chunked("5\r\nhello\r\n0\r\nA: b\r\nContent-Length: 7\r\n\r\n"), "hello", kChunked,
     kReusable},
    {"C9SeventeenLeadingZeros", chunked("000000000000000005\r\nhello\r\n00000000000000000\r\n\r\n"), "hello",
     kChunked, kReusable},
    {"C9UpperAndLowerCaseSizes", chunked("A\r\n0123456789\r\nb\r\n0123456789a\r\n0\r\n\r\n"),
     "01234567890123456789a", kChunked, kReusable},
    {"ChunkExtensions", chunked("5;a;b=c ; d=\"x y;\\\"\t\"\r\nhello\r\n0;last\r\n\r\n"), "hello", kChunked,
     kReusable},
    {"ContentThatLooksLikeFraming", chunked("7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"), "\r\n0\r\n\r\n", kChunked,
     kReusable},
    // Transfer-Encoding that is suspicious
    {"C12CodingAndLength", ok(kLength5 + "transfer-encoding: chunked\r\n", kHello), "hello", kChunked,
     kTransferCoding},
    {"C12CodingAndBadLength", ok("transfer-encoding: chunked\r\ncontent-length: x\r\n", kHello), "hello",
     kChunked, kTransferCoding},
    {"C12OtherCodingBeforeChunked", ok("transfer-encoding: gzip, chunked\r\n", kHello), "hello", kChunked,
     kTransferCoding},
    {"C12OtherCodingInAnotherField", ok("transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n", kHello),
     "hello", kChunked, kTransferCoding},
    {"C12ChunkedTwice", ok("transfer-encoding: chunked, chunked\r\n", kHello), "hello", kChunked,
     kTransferCoding},
    {"C12ChunkedNotLast", ok("transfer-encoding: chunked, gzip\r\n", kHello), kHello, kClose,
     kTransferCoding},
    {"C12NotChunked", ok("transfer-encoding: gzip\r\n" + kLength5, "hello, world"), "hello, world", kClose,
     kTransferCoding},
    {"C12AlmostChunked", ok("transfer-encoding: xchunked\r\n", kHello), kHello, kClose, kTransferCoding},
    {"C12ChunkedWithParameter", ok("transfer-encoding: chunked;q=1\r\n", kHello), kHello, kClose,
     kTransferCoding},
    {"C12EmptyCoding", ok("transfer-encoding:\r\n" + kLength5, "hello!"), "hello!", kClose, kTransferCoding},
    {"C12CodingInHttp10", old("connection: keep-alive\r\ntransfer-encoding: chunked\r\n", kHello), "hello",
     kChunked, kTransferCoding},
    // until close
    {"UntilClose", ok("", "hello"), "hello", kClose, kUntilClose},
    {"UntilCloseWithoutContent", ok(""), "", kClose, kUntilClose},
    {"UntilCloseOfAnythingAtAll", ok("", kSecond), kSecond, kClose, kUntilClose},
    // no body, whatever the fields say
    {"C4HeadWithLength", ok(kLength5), "", kNone, kReusable, "", kHeadMethod},
    {"C4HeadWithLengthAndBody", ok(kLength5, "hello"), "", kNone, kReusable, "hello", kHeadMethod},
    {"C4HeadWithChunks", ok("transfer-encoding: chunked\r\n", kHello), "", kNone, kReusable, kHello,
     kHeadMethod},
    {"C4HeadWithoutLength", ok(""), "", kNone, kReusable, "", kHeadMethod},
    {"C4HeadWithBadLength", ok("content-length: 5, 6\r\n"), "", kNone, kReusable, "", kHeadMethod},
    {"C4HeadWithCodingAndLength", ok(kLength5 + "transfer-encoding: chunked\r\n"), "", kNone, kTransferCoding,
     "", kHeadMethod},
    {"NoContent", response("HTTP/1.1 204 No Content", ""), "", kNone, kReusable},
    {"NoContentWithLength", response("HTTP/1.1 204 No Content", kLength5, "hello"), "", kNone, kReusable,
     "hello"},
    {"NotModifiedWithLength", response("HTTP/1.1 304 Not Modified", kLength5), "", kNone, kReusable},
    {"NotModifiedWithChunks",
     response("HTTP/1.1 304 Not Modified", "transfer-encoding: chunked\r\n", "0\r\n\r\n"), "", kNone,
     kReusable, "0\r\n\r\n"},
    {"ResetContentIsNoException", response("HTTP/1.1 205 Reset Content", "content-length: 1\r\n", "x"), "x",
     kLength, kReusable},
    // tunnels
    {"ConnectAccepted", ok("transfer-encoding: chunked\r\n", "\x16\x03\x01"), "", kNone, kTunnel,
     "\x16\x03\x01", kConnect},
    {"ConnectAcceptedWithClose", ok("connection: close\r\n"), "", kNone, kTunnel, "", kConnect},
    {"ConnectAcceptedWithBadLength", ok("content-length: x\r\n"), "", kNone, kTunnel, "", kConnect},
    {"ConnectRefused", response("HTTP/1.1 407 Authenticate", kLength5, "hello"), "hello", kLength, kReusable,
     "", kConnect},
    {"UpgradeAccepted", response("HTTP/1.1 101 Switching", "upgrade: x\r\nconnection: upgrade\r\n", "frames"),
     "", kNone, kTunnel, "frames", kUpgrade},
    {"UpgradeIgnored", ok(kLength5, "hello"), "hello", kLength, kReusable, "", kUpgrade},
    // persistence
    {"Close", ok("connection: close\r\n" + kLength5, "hello"), "hello", kLength, kCloseField},
    {"CloseBeatsUntilClose", ok("connection: close\r\n", "hello"), "hello", kClose, kCloseField},
    {"C16CloseInAList", ok("Connection: TE, CLOSE\r\n" + kLength5, "hello"), "hello", kLength, kCloseField},
    {"C16CloseInTheSecondField", ok("connection: keep-alive\r\nconnection: close\r\n" + kLength5, "hello"),
     "hello", kLength, kCloseField},
    {"C16CloseBeatsKeepAlive", old("connection: close, keep-alive\r\n" + kLength5, "hello"), "hello", kLength,
     kCloseField},
    {"C16KeepAliveAndAnother", ok("Connection: Keep-Alive, Foo\r\n" + kLength5, "hello"), "hello", kLength,
     kReusable},
    {"C16EmptyElements", ok("connection: ,, ,\r\n" + kLength5, "hello"), "hello", kLength, kReusable},
    {"C16NoList", ok("connection: close; really\r\n" + kLength5, "hello"), "hello", kLength, kReusable},
    {"C16NotClose", ok("connection: closed, not-close\r\n" + kLength5, "hello"), "hello", kLength, kReusable},
    {"C16Http10", old(kLength5, "hello"), "hello", kLength, kHttp10},
    {"C16Http10KeepAlive", old("connection: foo , Keep-ALIVE\r\n" + kLength5, "hello"), "hello", kLength,
     kReusable},
    {"C16Http10KeepAliveWithoutLength", old("connection: keep-alive\r\n", "hello"), "hello", kClose,
     kUntilClose},
    {"C16Http10WithoutBoth", old("", "hello"), "hello", kClose, kHttp10},
    {"C16Http10KeepAliveOnly", old("keep-alive: timeout=5\r\n" + kLength5, "hello"), "hello", kLength,
     kHttp10},
    {"ProxyConnectionMeansNothing", ok("proxy-connection: close\r\n" + kLength5, "hello"), "hello", kLength,
     kReusable},
    {"CloseIn1xx", "HTTP/1.1 103 Early\r\nconnection: close\r\n\r\n" + ok(kLength5, "hello"), "hello",
     kLength, kCloseField},
    // 1xx
    {"C6FourInOneSegment",
     "HTTP/1.1 103 Early\r\nlink: a\r\n\r\nHTTP/1.1 103 Early\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" +
         ok(kLength5, "hello"),
     "hello", kLength, kReusable},
    {"C6InformationalWithLength",
     "HTTP/1.1 100 Continue\r\ncontent-length: 5\r\n\r\n" + ok(kLength5, "hello"), "hello", kLength,
     kReusable},
    {"C6InformationalWithBadLength", "HTTP/1.1 102 P\r\ncontent-length: x\r\n\r\n" + ok(kLength5, "hello"),
     "hello", kLength, kReusable},
    {"C6UnknownInformational", "HTTP/1.1 199\r\n\r\n" + ok(kLength5, "hello"), "hello", kLength, kReusable},
    // status lines and line ends
    {"NoReason", response("HTTP/1.1 200 ", kLength5, "hello"), "hello", kLength, kReusable},
    {"NoReasonAndNoSpace", response("HTTP/1.1 200", kLength5, "hello"), "hello", kLength, kReusable},
    {"UnknownStatus", response("HTTP/1.1 999 ?", kLength5, "hello"), "hello", kLength, kReusable},
    {"LaterMinorVersion", response("HTTP/1.9 200 OK", kLength5, "hello"), "hello", kLength, kReusable},
    {"ReasonBeyondAscii", response("HTTP/1.1 200 S\xc3\xbc\xc3\x9f\tB", kLength5, "hello"), "hello", kLength,
     kReusable},
    {"BareLfInHead", "HTTP/1.1 200 OK\ncontent-length: 5\n\nhello", "hello", kLength, kReusable},
    {"BareLfAndCrLfMixed", "HTTP/1.1 200 OK\na: b\r\ncontent-length: 5\n\r\nhello", "hello", kLength,
     kReusable},
    // obs-fold
    {"FoldedLength", ok("content-length:\r\n 5\r\n", "hello"), "hello", kLength, kReusable},
    {"FoldedConnection", ok(kLength5 + "connection: te,\r\n\tclose\r\n", "hello"), "hello", kLength,
     kCloseField},
    {"FoldedThatLooksLikeAField", ok("a: b\r\n content-length: 9\r\n" + kLength5, "hello"), "hello", kLength,
     kReusable},
    {"FoldOfNothing", ok("a: b\r\n \t\r\n" + kLength5, "hello"), "hello", kLength, kReusable},
};

class WellFormed : public testing::TestWithParam<Case> {};

TEST_P(WellFormed, IsReadAlikeHoweverItIsCut) {
  const Case& want = GetParam();
  const bool until_close = want.body_end == kClose;
  const Reading got = read_in_every_way(want.traits, want.input, until_close);
  EXPECT_EQ(got.state, State::kComplete) << testing::PrintToString(got);
  EXPECT_EQ(got.fault, ResponseFault::kNone);
  EXPECT_EQ(got.body, want.body);
  EXPECT_EQ(got.body_end, want.body_end);
  EXPECT_EQ(got.persistence, want.persistence) << to_string(got.persistence);
  EXPECT_EQ(got.rest, want.rest);
}

// RFC 9112 8: all but a body that ends with the connection must be whole. Every proper beginning of a
// response is cut short by a close, and the very beginning is an empty reply.
TEST_P(WellFormed, IsCutShortByACloseAtEveryByte) {
  const Case& want = GetParam();
  const std::string_view message =
      std::string_view(want.input).substr(0, want.input.size() - want.rest.size());
  const std::size_t head = message.size() - (want.body_end == kClose ? want.body.size() : 0);
  for (std::size_t bytes = 0; bytes < message.size(); ++bytes) {
    const Reading got = read_response(want.traits, message.substr(0, bytes), {.closed = true});
    if (bytes >= head) {
      EXPECT_EQ(got.state, State::kComplete) << "after " << bytes;
      continue;
    }
    EXPECT_EQ(got.fault, bytes == 0 ? ResponseFault::kEmptyReply : ResponseFault::kCutShort)
        << "after " << bytes;
    EXPECT_EQ(got.persistence, kFault);
  }
}

INSTANTIATE_TEST_SUITE_P(Responses, WellFormed, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ResponseReader, GivesEventsInOrderWithNamesLowered) {
  const Reading got = read_in_every_way({},
                                        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                                        "HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\nX-Empty:\r\n"
                                        "X-Spaces: \t a  b \t\r\nX-Spaces: c\r\n\r\n"
                                        "2\r\nhi\r\n0\r\nX-Sum: 1\r\nTransfer-Encoding: x\r\n\r\n");
  EXPECT_EQ(got.events,
            "informational HTTP/1.1 103 Early Hints\n"
            "  link=</a>|\n"
            "head HTTP/1.1 200 Fine\n"
            "  transfer-encoding=chunked|\n"
            "  x-empty=|\n"
            "  x-spaces=a  b|\n"
            "  x-spaces=c|\n"
            "body\n"
            "trailer x-sum=1|\n"
            "trailer transfer-encoding=x|\n");
}

TEST(ResponseReader, ReplacesFoldsBySpaces) {
  const Reading got = read_in_every_way(
      {}, "HTTP/1.1 204 N\r\na: 1 \t\r\n \t 2\r\n\t\r\n 3\nb:\n  4\r\nlong: " + std::string(20, 'x') +
              "\r\n y\r\n\r\n");
  EXPECT_EQ(got.events,
            "head HTTP/1.1 204 N\n"
            "  a=1 2 3|\n"
            "  b=4|\n"
            "  long=xxxxxxxxxxxxxxxxxxxx y|\n");
}

TEST(ResponseReader, FoldsMoreThanBeastWould) {
  std::string head = "HTTP/1.1 204 N\r\na: 1\r\n";
  for (int i = 0; i < 100; ++i) head += " " + std::string(100, 'x') + "\r\n";
  const Reading got = read_response({}, head + "\r\n");
  EXPECT_EQ(got.state, State::kComplete);
  EXPECT_EQ(got.events.size(), std::string_view("head HTTP/1.1 204 N\n  a=1|\n").size() + 100 * 101);
}

TEST(ResponseReader, KeepsTheHeadAsItCame) {
  const std::string early = "HTTP/1.1 100\r\n\r\n";
  const std::string head = "HTTP/1.1 200  Odd \nX-a:b\r\n  folded\r\nCONTENT-length:   0\t\r\n\n";
  ResponseReader reader;
  ResponseRecorder recorder;
  reader.begin({});
  EXPECT_EQ(reader.take(early + head + "next", kAllRoom, recorder), early.size() + head.size());
  EXPECT_EQ(recorder.head_text, early + head);
  EXPECT_EQ(reader.head().text, head);
  EXPECT_EQ(reader.head().reason, " Odd ");
  EXPECT_EQ(reader.head().status, 200u);
}

TEST(ResponseReader, DoesNotTakeFieldsForWhatTheMarkedNameWouldMean) {
  const Reading got =
      read_in_every_way({}, "HTTP/1.1 200 OK\r\n!content-length: 9\r\n!: x\r\ncontent-length: 1\r\n\r\na");
  EXPECT_EQ(got.events, "head HTTP/1.1 200 OK\n  !content-length=9|\n  !=x|\n  content-length=1|\nbody\n");
}

}  // namespace
}  // namespace h2park::test
