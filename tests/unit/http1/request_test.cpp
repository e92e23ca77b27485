// What a handler sees of a request, however its bytes were cut.
#include "support/h1_peer.hpp"

#include <gtest/gtest.h>

namespace h2park::test {
namespace {

void describe(const http::Fields& fields, std::string& out) {
  for (const http::Field field : fields) out.append(field.name).append("=").append(field.value).append("\n");
}

// Says everything it knows about the request.
Task<> tell(http::Request& req, http::Responder& res) {
  const http::RequestHead& head = req.head();
  std::string out;
  for (const std::string_view part : {std::string_view(head.method), std::string_view(head.scheme),
                                      std::string_view(head.authority), std::string_view(head.target)}) {
    out.append(part).append("|");
  }
  out.append(to_string(head.version)).append("|");
  out.append(head.content_length ? std::to_string(*head.content_length) : "?").append("\n");
  describe(head.fields, out);
  std::string body;
  for (;;) {
    const http::Read piece = co_await req.read();
    if (!piece) co_return;
    if (piece->empty()) break;
    body.append(*piece);
  }
  out.append("body=").append(body).append("\n");
  describe(req.trailers(), out);
  co_await res.send("text/plain", out);
}

struct Case {
  const char* name;
  std::string input;
  std::string told;
};

const Case kCases[] = {
    {"OriginForm", "GET /a?b=c HTTP/1.1\r\nHost: Example:80\r\n\r\n",
     "GET|http|Example:80|/a?b=c|HTTP/1.1|0\nbody=\n"},
    {"NamesAreLoweredAndValuesTrimmed", "GET / HTTP/1.1\r\nhost:a\r\nX-Foo: \t Bar baz \t\r\n\r\n",
     "GET|http|a|/|HTTP/1.1|0\nx-foo=Bar baz\nbody=\n"},
    {"LongNames", "GET / HTTP/1.1\r\nhost: a\r\n" + std::string(100, 'X') + ": 1\r\n\r\n",
     "GET|http|a|/|HTTP/1.1|0\n" + std::string(100, 'x') + "=1\nbody=\n"},
    {"EmptyAndRepeatedFields", "GET / HTTP/1.1\r\nhost: a\r\nx:\r\ny: 1\r\ny: 2\r\n\r\n",
     "GET|http|a|/|HTTP/1.1|0\nx=\ny=1\ny=2\nbody=\n"},
    {"BytesAboveAscii", "GET /\xc3\xa4 HTTP/1.1\r\nhost: a\r\nx: \xe4\xff\r\n\r\n",
     "GET|http|a|/\xc3\xa4|HTTP/1.1|0\nx=\xe4\xff\nbody=\n"},
    {"EmptyHost", "GET / HTTP/1.1\r\nhost:\r\n\r\n", "GET|http||/|HTTP/1.1|0\nbody=\n"},
    {"HostIsAnAddress", "GET / HTTP/1.1\r\nhost: [::1]:8080\r\n\r\n",
     "GET|http|[::1]:8080|/|HTTP/1.1|0\nbody=\n"},
    {"Http10WithoutHost", "GET / HTTP/1.0\r\n\r\n", "GET|http||/|HTTP/1.0|0\nbody=\n"},
    {"HigherMinorVersionCountsAs11", "GET / HTTP/1.7\r\nhost: a\r\n\r\n", "GET|http|a|/|HTTP/1.1|0\nbody=\n"},
    {"AbsoluteFormOverridesHost", "GET http://b:81/x?y HTTP/1.1\r\nhost: a\r\n\r\n",
     "GET|http|b:81|/x?y|HTTP/1.1|0\nbody=\n"},
    {"AbsoluteFormWithoutPath", "GET HTTPS://b HTTP/1.1\r\nhost: a\r\n\r\n",
     "GET|https|b|/|HTTP/1.1|0\nbody=\n"},
    {"AbsoluteFormWithQueryOnly", "GET http://b?q HTTP/1.1\r\nhost: a\r\n\r\n",
     "GET|http|b|/?q|HTTP/1.1|0\nbody=\n"},
    {"AbsoluteFormOptions", "OPTIONS http://b HTTP/1.1\r\nhost: a\r\n\r\n",
     "OPTIONS|http|b|*|HTTP/1.1|0\nbody=\n"},
    {"AsteriskForm", "OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n", "OPTIONS|http|a|*|HTTP/1.1|0\nbody=\n"},
    {"AuthorityForm", "CONNECT b:443 HTTP/1.1\r\nhost: a\r\n\r\n", "CONNECT|http|b:443||HTTP/1.1|0\nbody=\n"},
    {"UnknownMethod", "BREW /pot HTTP/1.1\r\nhost: a\r\n\r\n", "BREW|http|a|/pot|HTTP/1.1|0\nbody=\n"},
    {"EmptyLinesBeforeRequestLine", "\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
     "GET|http|a|/|HTTP/1.1|0\nbody=\n"},
    {"H4UpgradeToH2cIsIgnored",
     "GET / HTTP/1.1\r\nhost: a\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: "
     "AAMAAABk\r\n\r\n",
     "GET|http|a|/|HTTP/1.1|0\nconnection=Upgrade, "
     "HTTP2-Settings\nupgrade=h2c\nhttp2-settings=AAMAAABk\nbody=\n"},
    {"BodyWithLength", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 005\r\n\r\nh\r\n\r\n",
     "POST|http|a|/|HTTP/1.1|5\ncontent-length=005\nbody=h\r\n\r\n\n"},
    {"EmptyBody", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n",
     "POST|http|a|/|HTTP/1.1|0\ncontent-length=0\nbody=\n"},
    {"GetWithBody", "GET / HTTP/1.0\r\ncontent-length: 2\r\n\r\nhi",
     "GET|http||/|HTTP/1.0|2\ncontent-length=2\nbody=hi\n"},
    {"Chunked",
     "POST / HTTP/1.1\r\nhost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
     "5\r\nhello\r\n1;a=b;c=\"d;e\"\r\n,\r\n00006 ;x\r\n world\r\n0\r\n\r\n",
     "POST|http|a|/|HTTP/1.1|?\ntransfer-encoding=Chunked\nbody=hello, world\n"},
    {"ChunkedWithHexAndTrailers",
     "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
     "a\r\n0123456789\r\nB\r\n0123456789a\r\n000\r\nX-Sum: 21\r\nY:\r\n\r\n",
     "POST|http|a|/|HTTP/1.1|?\ntransfer-encoding=chunked\nbody=01234567890123456789a\nx-sum=21\ny=\n"},
    {"ChunkedAndEmpty", "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
     "POST|http|a|/|HTTP/1.1|?\ntransfer-encoding=chunked\nbody=\n"},
    {"SeventeenZerosAreNoOverflow",
     "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n000000000000000001\r\nx\r\n0\r\n\r\n",
     "POST|http|a|/|HTTP/1.1|?\ntransfer-encoding=chunked\nbody=x\n"},
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Request : public testing::TestWithParam<Case> {};

TEST_P(Request, IsTheSameWhole) {
  H1Peer h1(tell);
  h1.write(GetParam().input);
  h1.want_response(200, GetParam().told, "GET");
}

TEST_P(Request, IsTheSameInSingleBytes) {
  H1Peer h1(tell);
  h1.write_sliced(GetParam().input);
  h1.want_response(200, GetParam().told, "GET");
}

TEST_P(Request, IsTheSameCutInTwoAnywhere) {
  const std::string& input = GetParam().input;
  for (std::size_t cut = 1; cut < input.size(); ++cut) {
    H1Peer h1(tell);
    h1.write(std::string_view(input).substr(0, cut));
    h1.write(std::string_view(input).substr(cut));
    h1.want_response(200, GetParam().told, "GET");
  }
}

TEST_P(Request, IsTheSameThreeTimesInOnePiece) {
  const std::string& input = GetParam().input;
  H1Peer h1(tell);
  h1.write(input + input + input);
  h1.want_response(200, GetParam().told, "GET");
  // HTTP/1.0 and CONNECT end the connection.
  if (input.find("HTTP/1.0") != std::string::npos || input.starts_with("CONNECT")) {
    return h1.want_close(http::CloseReason::kDone);
  }
  h1.want_response(200, GetParam().told, "GET");
  h1.want_response(200, GetParam().told, "GET");
  h1.want_parked();
}

INSTANTIATE_TEST_SUITE_P(Shapes, Request, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SecureSession, HasHttpsAsScheme) {
  H1Peer h1(tell, {}, true);
  h1.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  h1.want_response(200, "GET|https|a|/|HTTP/1.1|0\nbody=\n", "GET");
}

TEST(Requests, AreNumberedOnTheirConnection) {
  std::vector<std::uint32_t> numbers;
  H1Peer h1([&](http::Request& req, http::Responder& res) -> Task<> {
    numbers.push_back(req.exchange().number);
    co_await res.send("", "");
  });
  for (int i = 0; i < 3; ++i) h1.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(Limits, LetAHeadPassThatIsJustWithinThem) {
  http::SessionOptions options;
  options.max_header_fields = 3;
  options.max_header_bytes = 1000;
  const auto head = [](std::size_t value_bytes) {
    return "GET / HTTP/1.1\r\nhost: a\r\nx: 1\r\ny: " + std::string(value_bytes, 'y') + "\r\n\r\n";
  };
  // name + value + 32 for each: host 37, x 34, y 33 + n.
  H1Peer fits(tell, options);
  fits.write(head(1000 - 37 - 34 - 33));
  fits.want_response(200);
  H1Peer over(tell, options);
  over.write(head(1000 - 37 - 34 - 33 + 1));
  over.want_response(431);
}

}  // namespace
}  // namespace h2park::test
