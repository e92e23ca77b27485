// Requests that must be refused: each whole and cut at every byte, with the same answer.
#include "support/h1_peer.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace h2park::test {
namespace {

struct Case {
  const char* name;
  std::string input;
  unsigned status;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string with_fields(std::string_view fields) {
  return "GET / HTTP/1.1\r\nhost: a\r\n" + std::string(fields) + "\r\n";
}
std::string chunked(std::string_view body) {
  return "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n" + std::string(body);
}
std::string post(std::string_view fields) {
  return "POST / HTTP/1.1\r\nhost: a\r\n" + std::string(fields) + "\r\n" + "12345";
}
std::string nul(std::string text) {
  for (char& c : text) {
    if (c == '@') c = '\0';
  }
  return text;
}

const Case kCases[] = {
    // the request line
    {"NoVersion", "GET /\r\nhost: a\r\n\r\n", 400},
    {"NoTarget", "GET HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"EmptyTarget", "GET  HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"TwoSpacesBeforeVersion", "GET /  HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"TabInsteadOfSpace", "GET\t/\tHTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"SpaceInTarget", "GET /a b HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"SpaceBeforeMethod", " GET / HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"SpaceAfterVersion", "GET / HTTP/1.1 \r\nhost: a\r\n\r\n", 400},
    {"MethodIsNoToken", "GE(T / HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"ControlInTarget", "GET /\x01 HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"NulInTarget", nul("GET /@ HTTP/1.1\r\nhost: a\r\n\r\n"), 400},
    {"LowerCaseVersion", "GET / http/1.1\r\nhost: a\r\n\r\n", 400},
    {"VersionWithoutMinor", "GET / HTTP/1\r\nhost: a\r\n\r\n", 400},
    {"VersionWithTwoDigits", "GET / HTTP/1.10\r\nhost: a\r\n\r\n", 400},
    {"VersionWithLetters", "GET / HTTP/a.b\r\nhost: a\r\n\r\n", 400},
    {"Version09", "GET / HTTP/0.9\r\n\r\n", 505},
    {"Version20", "GET / HTTP/2.0\r\nhost: a\r\n\r\n", 505},
    {"Version30", "GET / HTTP/3.0\r\nhost: a\r\n\r\n", 505},
    {"H4PrefaceAsRequest", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
    {"TlsClientHello", nul("\x16\x03\x01@\xa5\x01@@\xa1\x03\x03\r\n"), 400},
    {"BareLfAfterRequestLine", "GET / HTTP/1.1\nhost: a\r\n\r\n", 400},
    {"BareLfOnly", "GET / HTTP/1.0\n\n", 400},
    {"BareCrInRequestLine", "GET /\rx HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"TooManyEmptyLines", "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"BareLfAsEmptyLine", "\nGET / HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"RequestLineTooLong", "GET /" + std::string(17'000, 'a') + " HTTP/1.1\r\nhost: a\r\n\r\n", 414},
    {"EndlessRequestLine", std::string(17'000, 'G'), 414},
    // the target
    {"AsteriskForGet", "GET * HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"TargetWithoutSlash", "GET index.html HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"AbsoluteFormOfAnotherScheme", "GET ftp://a/ HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"AbsoluteFormWithoutHost", "GET http:/// HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"AbsoluteFormWithUserinfo", "GET http://u@a/ HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"AuthorityFormForGet", "GET a:80 HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"ConnectWithPath", "CONNECT / HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    {"ConnectWithoutPort", "CONNECT a HTTP/1.1\r\nhost: a\r\n\r\n", 400},
    // Host
    {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
    {"TwoHosts", "GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n", 400},
    {"TwoHostsInHttp10", "GET / HTTP/1.0\r\nhost: a\r\nhost: a\r\n\r\n", 400},
    {"HostList", "GET / HTTP/1.1\r\nhost: a, b\r\n\r\n", 400},
    {"HostWithUserinfo", "GET / HTTP/1.1\r\nhost: u@a\r\n\r\n", 400},
    {"HostWithPath", "GET / HTTP/1.1\r\nhost: a/b\r\n\r\n", 400},
    {"HostWithBadPort", "GET / HTTP/1.1\r\nhost: a:8o\r\n\r\n", 400},
    {"HostWithOpenBracket", "GET / HTTP/1.1\r\nhost: [::1\r\n\r\n", 400},
    {"HostWithBadPercent", "GET / HTTP/1.1\r\nhost: a%2\r\n\r\n", 400},
    {"NoHostWithAbsoluteForm", "GET http://a/ HTTP/1.1\r\n\r\n", 400},
    // field lines
    {"SpaceBeforeColon", with_fields("x : 1\r\n"), 400},
    {"NoColon", with_fields("x\r\n"), 400},
    {"EmptyName", with_fields(": 1\r\n"), 400},
    {"NameIsNoToken", with_fields("x(: 1\r\n"), 400},
    {"ObsFold", with_fields("x: 1\r\n 2\r\n"), 400},
    {"ObsFoldWithTab", with_fields("x: 1\r\n\t2\r\n"), 400},
    {"WhitespaceBeforeFirstField", "GET / HTTP/1.1\r\n host: a\r\n\r\n", 400},
    {"BareLfAfterField", with_fields("x: 1\ny: 2\r\n"), 400},
    {"BareCrInValue", with_fields("x: 1\r2\r\n"), 400},
    {"NulInValue", nul(with_fields("x: 1@2\r\n")), 400},
    {"ControlInValue", with_fields("x: \x01\r\n"), 400},
    {"DelInValue", with_fields("x: \x7f\r\n"), 400},
    {"NulInName", nul(with_fields("x@y: 1\r\n")), 400},
    {"TooManyFields", with_fields([] {
       std::string fields;
       for (int i = 0; i < 120; ++i) fields += "x: 1\r\n";
       return fields;
     }()),
     431},
    {"FieldTooLarge", with_fields("x: " + std::string(70'000, 'a') + "\r\n"), 431},
    {"EndlessField", "GET / HTTP/1.1\r\nhost: a\r\nx: " + std::string(70'000, 'a'), 431},
    {"UnknownExpectation", post("content-length: 5\r\nexpect: 200-ok\r\n"), 417},
    // framing
    {"LengthAndChunked", post("content-length: 5\r\ntransfer-encoding: chunked\r\n"), 400},
    {"ChunkedAndLength", post("transfer-encoding: chunked\r\ncontent-length: 5\r\n"), 400},
    {"GzipAndLength", post("transfer-encoding: gzip\r\ncontent-length: 5\r\n"), 400},
    {"EqualLengthsTwice", post("content-length: 5\r\ncontent-length: 5\r\n"), 400},
    {"DifferentLengths", post("content-length: 5\r\ncontent-length: 6\r\n"), 400},
    {"LengthList", post("content-length: 5, 5\r\n"), 400},
    {"LengthWithPlus", post("content-length: +5\r\n"), 400},
    {"NegativeLength", post("content-length: -5\r\n"), 400},
    {"LengthInHex", post("content-length: 0x5\r\n"), 400},
    {"LengthWithUnit", post("content-length: 5b\r\n"), 400},
    {"EmptyLength", post("content-length:\r\n"), 400},
    {"LengthOverflows", post("content-length: 18446744073709551616\r\n"), 400},
    {"ChunkedNotLast", post("transfer-encoding: chunked, gzip\r\n"), 400},
    {"ChunkedTwice", post("transfer-encoding: chunked, chunked\r\n"), 400},
    {"ChunkedInTwoFields", post("transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n"), 400},
    {"IdentityCoding", post("transfer-encoding: identity\r\n"), 400},
    {"AlmostChunked", post("transfer-encoding: xchunked\r\n"), 400},
    {"ChunkedWithParameter", post("transfer-encoding: chunked;a=b\r\n"), 400},
    {"ChunkedInAList", post("transfer-encoding: ,chunked\r\n"), 400},
    {"EmptyCoding", post("transfer-encoding:\r\n"), 400},
    {"CodingWeLack", post("transfer-encoding: gzip, chunked\r\n"), 501},
    {"CodingWeLackInTwoFields", post("transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n"), 501},
    {"ChunkedInHttp10", "POST / HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    // chunks
    {"ChunkSizeWithPrefix", chunked("0x5\r\nhello\r\n0\r\n\r\n"), 400},
    {"ChunkSizeWithPlus", chunked("+5\r\nhello\r\n0\r\n\r\n"), 400},
    {"NegativeChunkSize", chunked("-1\r\nhello\r\n0\r\n\r\n"), 400},
    {"ChunkSizeWithUnderscore", chunked("1_0\r\nhello\r\n0\r\n\r\n"), 400},
    {"ChunkSizeWithLetters", chunked("5x\r\nhello\r\n0\r\n\r\n"), 400},
    {"EmptyChunkSize", chunked("\r\nhello\r\n0\r\n\r\n"), 400},
    {"ChunkSizeAfterSpace", chunked(" 5\r\nhello\r\n0\r\n\r\n"), 400},
    {"ChunkSizeOverflows", chunked("FFFFFFFFFFFFFFFF1\r\nhello\r\n0\r\n\r\n"), 400},
    {"H2BareLfChunkSize", chunked("5\nhello\r\n0\r\n\r\n"), 400},
    {"H2BareLfEverywhere", chunked("5\nhello\n0\n\n"), 400},
    {"BareLfInExtension", chunked("5;a=\"\n\"\r\nhello\r\n0\r\n\r\n"), 400},
    {"ControlInExtension", chunked("5;a=\"\x01\"\r\nhello\r\n0\r\n\r\n"), 400},
    {"ExtensionWithoutName", chunked("5;\r\nhello\r\n0\r\n\r\n"), 400},
    {"BareCrInSizeLine", chunked("5\rhello\r\n0\r\n\r\n"), 400},
    {"NoCrlfAfterData", chunked("5\r\nhello0\r\n\r\n"), 400},
    {"TooMuchData", chunked("5\r\nhello!\r\n0\r\n\r\n"), 400},
    {"EndlessSizeLine", chunked(std::string(5'000, '0')), 400},
    {"EndlessExtension", chunked("5;" + std::string(5'000, 'a')), 400},
    {"ExtensionTooLong", chunked("5;" + std::string(5'000, 'a') + "\r\nhello\r\n0\r\n\r\n"), 400},
    {"MoreChunkLinesThanData", chunked([] {
       std::string body;
       for (int i = 0; i < 10; ++i) body += "1;" + std::string(2'000, 'a') + "\r\nx\r\n";
       return body + "0\r\n\r\n";
     }()),
     400},
    {"BareLfAfterLastChunk", chunked("0\n\r\n"), 400},
    {"BadTrailer", chunked("0\r\nx y: 1\r\n\r\n"), 400},
    {"BareLfInTrailer", chunked("0\r\nx: 1\ny: 2\r\n\r\n"), 400},
    {"LengthAsTrailer", chunked("0\r\ncontent-length: 5\r\n\r\n"), 400},
    {"CodingAsTrailer", chunked("0\r\ntransfer-encoding: chunked\r\n\r\n"), 400},
    {"TooManyTrailers", chunked([] {
       std::string body = "0\r\n";
       for (int i = 0; i < 120; ++i) body += "x: 1\r\n";
       return body + "\r\n";
     }()),
     431},
    {"TrailerTooLarge", chunked("0\r\nx: " + std::string(70'000, 'a') + "\r\n\r\n"), 431},
    {"EndlessTrailer", chunked("0\r\nx: " + std::string(70'000, 'a')), 431},
};

Task<> read_then_answer(http::Request& req, http::Responder& res) {
  for (;;) {
    const http::Read piece = co_await req.read();
    if (!piece || piece->empty()) break;
  }
  co_await res.send("text/plain", "read\n");
}

class Malformed : public testing::TestWithParam<Case> {};

void want_refusal(H1Peer& h1, unsigned status) {
  const H1Response response = h1.want_response(status);
  EXPECT_EQ(response.field("connection"), "close");
  EXPECT_FALSE(response.reason.empty());
  EXPECT_EQ(response.body, std::to_string(status) + " " + response.reason + "\r\n");
  h1.want_close(http::CloseReason::kProtocol, true);
  EXPECT_EQ(h1.driver.live(), 0u);
}

TEST_P(Malformed, IsRefusedWholeAndTheConnectionCloses) {
  H1Peer h1(read_then_answer);
  h1.write(GetParam().input);
  want_refusal(h1, GetParam().status);
}

TEST_P(Malformed, IsRefusedAlikeWhenCutAtEveryByte) {
  H1Peer h1(read_then_answer);
  h1.write_sliced(GetParam().input);
  want_refusal(h1, GetParam().status);
}

TEST_P(Malformed, IsRefusedBehindAGoodRequest) {
  H1Peer h1(read_then_answer);
  h1.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n" + GetParam().input);
  h1.want_response(200, "read\n", "GET");
  want_refusal(h1, GetParam().status);
}

INSTANTIATE_TEST_SUITE_P(Requests, Malformed, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace h2park::test
