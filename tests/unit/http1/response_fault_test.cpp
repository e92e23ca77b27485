// Responses that must be refused, each read in every way it can be cut, with the same verdict.
#include "http1/response_reader.hpp"
#include "response_reading.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace h2park::test {
namespace {

using enum ResponseFault;

struct Case {
  const char* name;
  std::string input;
  ResponseFault fault;
  std::string body = {};  ///< handed over before the fault
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string ok(std::string_view fields) { return "HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n"; }
std::string chunked(std::string_view body) {
  return ok("transfer-encoding: chunked\r\n") + std::string(body);
}
std::string nul(std::string text) {
  for (char& c : text) {
    if (c == '@') c = '\0';
  }
  return text;
}

const Case kCases[] = {
    // status lines
    {"Http09", "<html>", kStatusLine},
    {"Http2", "HTTP/2 200 OK\r\n\r\n", kStatusLine},
    {"Http20", "HTTP/2.0 200 OK\r\n\r\n", kStatusLine},
    {"Http2Settings", nul("@@@\x04@@@@@@"), kStatusLine},
    {"Http09Version", "HTTP/0.9 200 OK\r\n\r\n", kStatusLine},
    {"LowerCaseVersion", "http/1.1 200 OK\r\n\r\n", kStatusLine},
    {"TwoMinorDigits", "HTTP/1.10 200 OK\r\n\r\n", kStatusLine},
    {"MinorIsNoDigit", "HTTP/1.x 200 OK\r\n\r\n", kStatusLine},
    {"NoMinor", "HTTP/1. 200 OK\r\n\r\n", kStatusLine},
    {"Icy", "ICY 200 OK\r\n\r\n", kStatusLine},
    {"SshBanner", "SSH-2.0-OpenSSH\r\n", kStatusLine},
    {"SmtpBanner", "220 mail ESMTP\r\n", kStatusLine},
    {"TlsAlert", nul("\x15\x03\x01@\x02\x02\x16"), kStatusLine},
    {"EmptyLineBefore", "\r\nHTTP/1.1 200 OK\r\n\r\n", kStatusLine},
    {"BareLfBefore", "\nHTTP/1.1 200 OK\r\n\r\n", kStatusLine},
    {"SpaceBefore", " HTTP/1.1 200 OK\r\n\r\n", kStatusLine},
    {"TwoSpaces", "HTTP/1.1  200 OK\r\n\r\n", kStatusLine},
    {"TabInsteadOfSpace", "HTTP/1.1\t200 OK\r\n\r\n", kStatusLine},
    {"TabAfterStatus", "HTTP/1.1 200\tOK\r\n\r\n", kStatusLine},
    {"NoStatus", "HTTP/1.1 \r\n\r\n", kStatusLine},
    {"NothingButVersion", "HTTP/1.1\r\n\r\n", kStatusLine},
    {"TwoDigits", "HTTP/1.1 20 OK\r\n\r\n", kStatusLine},
    {"FourDigits", "HTTP/1.1 2000 OK\r\n\r\n", kStatusLine},
    {"SignedStatus", "HTTP/1.1 +20 OK\r\n\r\n", kStatusLine},
    {"LettersInStatus", "HTTP/1.1 2x0 OK\r\n\r\n", kStatusLine},
    {"StatusBelow100", "HTTP/1.1 099 OK\r\n\r\n", kStatusLine},
    {"BareCrInReason", "HTTP/1.1 200 O\rK\r\n\r\n", kStatusLine},
    {"NulInReason", nul("HTTP/1.1 200 O@K\r\n\r\n"), kStatusLine},
    {"DelInReason", "HTTP/1.1 200 O\x7fK\r\n\r\n", kStatusLine},
    {"TwoCrs", "HTTP/1.1 200 OK\r\r\n\r\n", kStatusLine},
    {"FaultyAfterInformational", "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200\r\n\r\n", kStatusLine},
    // fields
    {"SpaceBeforeColon", ok("a : b\r\n"), kField},
    {"TabBeforeColon", ok("content-length\t: 5\r\n"), kField},
    {"SpaceInName", ok("a b: c\r\n"), kField},
    {"NoColon", ok("abc\r\n"), kField},
    {"EmptyName", ok(": a\r\n"), kField},
    {"NameIsNoToken", ok("a(b: c\r\n"), kField},
    {"NameBeyondAscii", ok("\xc3\xa4: c\r\n"), kField},
    {"NulInName", ok(nul("a@: c\r\n")), kField},
    {"NulInValue", ok(nul("a: b@c\r\n")), kField},
    {"ControlInValue", ok("a: b\x01\r\n"), kField},
    {"DelInValue", ok("a: b\x7f\r\n"), kField},
    {"BareCrInValue", ok("a: b\rc: d\r\n"), kField},
    {"BareCrBeforeColon", ok("a\r: b\r\n"), kField},
    {"TwoCrsAfterField", ok("a: b\r\r\n"), kField},
    {"CrAloneOnItsLine", ok("\r\r\n"), kField},
    {"SpaceBeforeFirstField", ok(" a: b\r\n"), kField},
    {"TabBeforeFirstField", ok("\ta: b\r\n"), kField},
    {"BlankFirstField", ok(" \r\na: b\r\n"), kField},
    {"ColonOnFoldedLine", ok("a\r\n : b\r\n"), kField},
    {"ControlOnFoldedLine", ok(nul("a: b\r\n c@\r\n")), kField},
    {"FieldOf1xx", "HTTP/1.1 103 E\r\na : b\r\n\r\n" + ok(""), kField},
    // lengths
    {"LengthsDiffer", ok("content-length: 5\r\ncontent-length: 6\r\n"), kLength},
    {"LengthListDiffers", ok("content-length: 5, 6\r\n"), kLength},
    {"LengthListDiffersInTheMiddle", ok("content-length: 5, 6, 6\r\n"), kLength},
    {"LengthListWithEmptyEnd", ok("content-length: 5,\r\n"), kLength},
    {"LengthListWithEmptyStart", ok("content-length: ,5\r\n"), kLength},
    {"LengthEmpty", ok("content-length:\r\n"), kLength},
    {"LengthEmptyInSecondField", ok("content-length: 5\r\ncontent-length: \r\n"), kLength},
    {"LengthNegative", ok("content-length: -1\r\n"), kLength},
    {"LengthWithPlus", ok("content-length: +5\r\n"), kLength},
    {"LengthHex", ok("content-length: 0x5\r\n"), kLength},
    {"LengthWithSpaceInside", ok("content-length: 1 2\r\n"), kLength},
    {"LengthWithUnit", ok("content-length: 5b\r\n"), kLength},
    {"LengthFraction", ok("content-length: 5.0\r\n"), kLength},
    {"LengthOverflows", ok("content-length: 18446744073709551616\r\n"), kLength},
    {"LengthOverflowsByFar", ok("content-length: " + std::string(100, '9') + "\r\n"), kLength},
    // 101
    {"C6SwitchUnasked", "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n", kSwitch},
    // chunk sizes
    {"C9Prefixed", chunked("0x5\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C9DigitThenLetter", chunked("5x\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C9Plus", chunked("+5\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C9Minus", chunked("-1\r\n\r\n"), kChunk},
    {"C9Underscore", chunked("1_0\r\n0123456789012345\r\n0\r\n\r\n"), kChunk},
    {"C9Empty", chunked("\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C9OnlyExtension", chunked(";a\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C9Overflow", chunked("FFFFFFFFFFFFFFFF1\r\nhello"), kChunk},
    {"C9OverflowByOne", chunked("10000000000000000\r\nhello"), kChunk},
    {"C9SpaceBefore", chunked(" 5\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C9SpaceAfter", chunked("5 \r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C9SecondSize", chunked("5\r\nhello\r\n5x\r\nhello\r\n0\r\n\r\n"), kChunk, "hello"},
    {"C9TooManyZeros", chunked(std::string(5000, '0') + "5\r\nhello\r\n0\r\n\r\n"), kChunk},
    // chunk lines
    {"C10BareLfAfterSize", chunked("5\nhello\r\n0\r\n\r\n"), kChunk},
    {"C10BareCrAfterSize", chunked("5\rhello\r\n0\r\n\r\n"), kChunk},
    {"C10BareLfInQuotes", chunked("5;a=\"\n\"\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C10LineEndInQuotes", chunked("5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C10OpenQuote", chunked("5;a=\"x\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C10ControlInQuotes", chunked("5;a=\"\x01\"\r\nhello\r\n0\r\n\r\n"), kChunk},
    {"C10ControlInExtension", chunked(nul("5;a@\r\nhello\r\n0\r\n\r\n")), kChunk},
    {"C10ControlInLastExtension", chunked("5\r\nhello\r\n0;\x02=1\r\n\r\n"), kChunk, "hello"},
    {"C10NoLineEndAfterData", chunked("5\r\nhello5\r\nhello\r\n0\r\n\r\n"), kChunk, "hello"},
    {"C10DataLongerThanSize", chunked("5\r\nhello!\r\n0\r\n\r\n"), kChunk, "hello"},
    {"C10BareLfAfterData", chunked("5\r\nhello\n0\r\n\r\n"), kChunk, "hello"},
    {"C10BareCrAfterData", chunked("5\r\nhello\r0\r\n\r\n"), kChunk, "hello"},
    {"C10BareLfAfterLastChunk", chunked("0\n\r\n"), kChunk},
    {"C10BareLfAtTheEnd", chunked("0\r\n\n"), kChunk},
    {"C10BareLfInTrailer", chunked("0\r\na: b\nc: d\r\n\r\n"), kChunk},
    {"ExtensionTooLong", chunked("5;" + std::string(5000, 'a') + "\r\nhello\r\n0\r\n\r\n"), kChunk},
    // trailers
    {"TrailerIsNoField", chunked("0\r\na b\r\n\r\n"), kField},
    {"TrailerWithSpaceBeforeColon", chunked("0\r\na : b\r\n\r\n"), kField},
    {"TrailerWithControl", chunked("0\r\nA: x\r\nb: \x01\r\n\r\n"), kField},
    {"TrailerBeginsWithSpace", chunked("0\r\n a: b\r\n\r\n"), kField},
    {"NextResponseInsteadOfTheEnd", chunked("0\r\nHTTP/1.1 200 OK\r\n\r\n"), kField},
};

class Faulty : public testing::TestWithParam<Case> {};

TEST_P(Faulty, IsRefusedAlikeHoweverItIsCut) {
  const Case& want = GetParam();
  const Reading got = read_in_every_way({}, want.input);
  EXPECT_EQ(got.state, State::kFailed) << testing::PrintToString(got);
  EXPECT_EQ(got.fault, want.fault) << to_string(got.fault);
  EXPECT_EQ(got.persistence, Persistence::kFault);
  EXPECT_EQ(got.body, want.body);
  EXPECT_EQ(got.events.find("trailer"), std::string::npos)
      << "trailers of a faulty section are not given out";
}

TEST_P(Faulty, IsRefusedBehindAGoodResponse) {
  ResponseReader reader;
  const std::string good = ok("content-length: 2\r\n") + "hi";
  const Reading first = read_response(reader, {}, good + GetParam().input, {});
  EXPECT_EQ(first.state, State::kComplete);
  const Reading second = read_response(reader, {}, first.rest, {});
  EXPECT_EQ(second.fault, GetParam().fault);
}

INSTANTIATE_TEST_SUITE_P(Responses, Faulty, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ResponseFault, IsKnownBeforeTheLineEnds) {
  // Nobody waits for the end of a line that never comes.
  for (const std::string_view input : {"<", "HTTP/2", "HTTP/1x", "\x16", "\r"}) {
    EXPECT_EQ(read_response({}, input).fault, kStatusLine) << input;
  }
  EXPECT_EQ(read_response({}, chunked("5\r\nhello5")).fault, kChunk);
}

// Found by fuzzing: in one piece such a line was too large first.
TEST(ResponseFault, OfALineThatIsNoneIsThatEvenIfTheLineIsTooLong) {
  const std::string line = "HTTP\x84" + std::string(300, 'x') + "\r\n\r\n";
  EXPECT_EQ(read_in_every_way({}, line, false, {.head_bytes = 200}).fault, kStatusLine);
}

TEST(ResponseFault, EndsAllEvents) {
  ResponseReader reader;
  ResponseRecorder recorder;
  reader.begin({});
  reader.take("nonsense", kAllRoom, recorder);
  ASSERT_EQ(reader.fault(), kStatusLine);
  EXPECT_EQ(reader.take(ok(""), kAllRoom, recorder), 0u);
  reader.end_of_input("");
  EXPECT_EQ(reader.fault(), kStatusLine) << "the first fault stays";
  EXPECT_EQ(recorder.events, "");
}

TEST(ResponseFault, HasAName) {
  EXPECT_EQ(to_string(kChunk), "malformed chunk");
  EXPECT_EQ(to_string(kEmptyReply), "empty reply");
  EXPECT_EQ(to_string(Persistence::kCloseField), "connection: close");
  EXPECT_EQ(to_string(Persistence::kHttp10), "http/1.0");
  EXPECT_EQ(to_string(Persistence::kUntilClose), "until close");
}

}  // namespace
}  // namespace h2park::test
