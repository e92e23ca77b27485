#include "cmd/get_settings.hpp"

#include "cmd/get_request.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

std::map<std::string, std::string, std::less<>> variables_set;

std::optional<std::string> variable(std::string_view name) {
  const auto found = variables_set.find(name);
  return found == variables_set.end() ? std::nullopt : std::optional(found->second);
}

Result<GetSettings> parse(Words arguments) {
  arguments.insert(arguments.begin(), "get");
  const auto line = parse_command_line(arguments);
  if (!line) return std::unexpected(line.error());
  return parse_get(line->values, variable);
}

/// Of these options and one URL.
GetSettings settings_of(Words arguments) {
  arguments.emplace_back("http://h/dir/file?q");
  auto settings = parse(arguments);
  EXPECT_TRUE(settings) << settings.error().message;
  return settings ? std::move(*settings) : GetSettings{.targets = {GetTarget{}}};
}

client::Request request_of(const Words& arguments) { return settings_of(arguments).targets.front().request; }

std::string error_of(Words arguments, Error::Exit exit = Error::Exit::kUsage) {
  arguments.emplace_back("http://h/dir/file");
  const auto settings = parse(arguments);
  if (settings) return "";
  EXPECT_EQ(static_cast<int>(settings.error().exit), static_cast<int>(exit)) << settings.error().message;
  EXPECT_EQ(settings.error().message.find('\n'), std::string::npos);
  return settings.error().message;
}

std::string fields_of(const client::Request& request) {
  std::string text;
  for (const auto& [name, value] : request.fields) text += (text.empty() ? "" : "|") + name + ": " + value;
  return text;
}

/// A file with this content.
class TestFile {
 public:
  explicit TestFile(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }
  ~TestFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_; }
  std::string at() const { return "@" + path(); }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("h2park-settings-" + std::to_string(::getpid()));
};

const std::string kUsual = "User-Agent: h2park/" H2PARK_VERSION "|Accept: */*";

TEST(GetSettings, HaveTheSameDefaultsAsTheLibrary) {
  const client::Options told = settings_of({}).client;
  const client::Options own;
  EXPECT_EQ(told.drain.enabled, own.drain.enabled);
  EXPECT_EQ(told.drain.bytes, own.drain.bytes);
  EXPECT_EQ(told.drain.time, own.drain.time);
  EXPECT_EQ(told.pool.max_idle, own.pool.max_idle);
  EXPECT_EQ(told.pool.idle_timeout, own.pool.idle_timeout);
  EXPECT_EQ(told.retry.attempts, own.retry.attempts);
  EXPECT_EQ(told.connect_timeout, own.connect_timeout);
  EXPECT_EQ(told.total_timeout, own.total_timeout);
  EXPECT_EQ(told.follow_redirects, own.follow_redirects);
  EXPECT_EQ(told.max_redirects, own.max_redirects);
  EXPECT_EQ(told.trust_redirects, own.trust_redirects);
  EXPECT_EQ(told.cookies, nullptr);
  EXPECT_EQ(told.proxies.find(client::Origin{}), nullptr);
}

TEST(GetSettings, AskForAUrlAndNothingElse) {
  const GetSettings settings = settings_of({});
  ASSERT_EQ(settings.targets.size(), 1U);
  const GetTarget& target = settings.targets.front();
  EXPECT_EQ(target.written, "http://h/dir/file?q");
  EXPECT_EQ(target.request.url.text(), "http://h/dir/file?q");
  EXPECT_EQ(target.request.method, "GET");
  EXPECT_FALSE(target.request.keep_method);
  EXPECT_EQ(target.request.body, nullptr);
  EXPECT_EQ(fields_of(target.request), kUsual);
  EXPECT_EQ(target.request.read_limit, client::kReadAll);
  EXPECT_EQ(target.place, (GetPlace{GetPlace::Kind::kStandardOutput, ""}));
  EXPECT_FALSE(settings.repeated);
  EXPECT_EQ(settings.pace.requests, 1U);
  EXPECT_EQ(settings.pace.concurrency, 1U);
  EXPECT_EQ(settings.pace.interval, Duration::zero());
  EXPECT_EQ(settings.pace.duration, std::nullopt);
  EXPECT_TRUE(settings.show_errors);
}

TEST(GetSettings, TakeTheOptionsOfTheRequest) {
  EXPECT_EQ(request_of({"-X", "PUT"}).method, "PUT");
  EXPECT_TRUE(request_of({"-X", "PUT"}).keep_method);
  EXPECT_EQ(request_of({"-I"}).method, "HEAD");
  EXPECT_TRUE(settings_of({"-I"}).head);
  EXPECT_EQ(fields_of(request_of({"-A", "me"})), "User-Agent: me|Accept: */*");
  EXPECT_EQ(fields_of(request_of({"-A", ""})), "Accept: */*");
  EXPECT_EQ(fields_of(request_of({"-e", "http://r/"})), kUsual + "|Referer: http://r/");
  EXPECT_EQ(settings_of({"-e", "http://r/"}).referer, "http://r/");
  EXPECT_EQ(fields_of(request_of({"-u", "me:a:b"})), "Authorization: Basic bWU6YTpi|" + kUsual);
  EXPECT_EQ(fields_of(request_of({"--compressed"})), kUsual + "|Accept-Encoding: deflate, gzip, br, zstd");
  EXPECT_TRUE(settings_of({"--compressed"}).compressed);
  EXPECT_EQ(request_of({"-0"}).version, http::Version::kHttp10);
  EXPECT_EQ(request_of({"--http1.0"}).version, http::Version::kHttp10);
  EXPECT_EQ(request_of({"--http1.1"}).version, http::Version::kHttp11);
  EXPECT_EQ(fields_of(request_of({"-b", "a=1", "-b", "b=2"})), kUsual + "|Cookie: a=1; b=2");
  EXPECT_EQ(settings_of({"-b", "a=1"}).client.cookies, nullptr);
  EXPECT_NE(settings_of({"-b", ""}).client.cookies, nullptr);
}

TEST(GetSettings, TakeCookiesFromAFile) {
  const TestFile file("h\tFALSE\t/\tFALSE\t0\tname\tvalue\n");
  const GetSettings settings = settings_of({"-b", file.path()});
  ASSERT_NE(settings.client.cookies, nullptr);
  EXPECT_EQ(settings.client.cookies->header_for(settings.targets.front().request.url, {}), "name=value");
}

TEST(GetSettings, TreatFieldsAsCurlDoes) {
  EXPECT_EQ(fields_of(request_of({"-H", "X-A:  1 ", "-H", "x-b;", "-H", "X-C:"})), kUsual + "|X-A: 1|x-b: ");
  EXPECT_EQ(fields_of(request_of({"-H", "accept: text/html"})),
            "User-Agent: h2park/" H2PARK_VERSION "|accept: text/html");
  EXPECT_EQ(fields_of(request_of({"-H", "Accept:", "-H", "user-agent:"})), "");
  EXPECT_EQ(fields_of(request_of({"-H", "Host: other"})), kUsual + "|Host: other");
  EXPECT_EQ(fields_of(request_of({"-H", "Authorization: x", "-u", "a:b"})), kUsual + "|Authorization: x");
  const TestFile file("A: 1\r\n\nB: 2");
  EXPECT_EQ(fields_of(request_of({"-H", file.at()})), kUsual + "|A: 1|B: 2");
}

TEST(GetSettings, RefuseFieldsThatAreNone) {
  EXPECT_EQ(error_of({"-H", "x"}), "get: --header: 'x' is not 'Name: value', 'Name:' or 'Name;'");
  EXPECT_EQ(error_of({"-H", "a b: c"}), "get: --header: 'a b: c' does not begin with a field's name");
  EXPECT_FALSE(parse({"-H", "a: b\r\nc: d", "http://h/"}));
  EXPECT_NE(error_of({"-H", "Host:"}), "");
  EXPECT_NE(error_of({"-X", "G ET"}), "");
  EXPECT_NE(error_of({"-A", "a\nb"}), "");
}

TEST(GetSettings, SendDataAsAForm) {
  const client::Request request = request_of({"-d", "a=1", "--data-raw", "@b", "-d", ""});
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(*request.body, "a=1&@b&");
  EXPECT_EQ(fields_of(request), kUsual + "|Content-Type: application/x-www-form-urlencoded");
  EXPECT_EQ(fields_of(request_of({"-d", "{}", "-H", "content-type: text/json"})),
            kUsual + "|content-type: text/json");
  EXPECT_EQ(request_of({"-d", "x", "-X", "PUT"}).method, "PUT");
  EXPECT_EQ(*request_of({"-d", "--x"}).body, "--x");
  EXPECT_EQ(*request_of({"-d", "[a,b]"}).body, "[a,b]");
}

TEST(GetSettings, SendFiles) {
  const TestFile file(std::string("a\r\nb\0c\n", 7));
  EXPECT_EQ(*request_of({"-d", "x", "-d", file.at()}).body, "x&abc");
  EXPECT_EQ(*request_of({"--data-binary", file.at()}).body, std::string("a\r\nb\0c\n", 7));
  EXPECT_EQ(error_of({"-d", "@/nonexistent"}, Error::Exit::kReadFailed),
            "get: --data: cannot read /nonexistent: No such file or directory");
}

TEST(GetSettings, ExpectContinueForLargeBodiesOnly) {
  const std::string large(1024 * 1024 + 1, 'x');
  const TestFile file(large);
  EXPECT_EQ(field_of(request_of({"-d", file.at()}), "Expect"), "100-continue");
  EXPECT_EQ(field_of(request_of({"-d", file.at(), "-H", "Expect:"}), "Expect"), "");
  EXPECT_EQ(field_of(request_of({"-d", file.at(), "-0"}), "Expect"), "");
  EXPECT_EQ(field_of(request_of({"-d", "x"}), "Expect"), "");
}

TEST(GetSettings, TakeTheOptionsOfTheAnswer) {
  EXPECT_TRUE(settings_of({"-L"}).client.follow_redirects);
  EXPECT_FALSE(settings_of({"-L"}).client.trust_redirects);
  EXPECT_TRUE(settings_of({"--location-trusted"}).client.follow_redirects);
  EXPECT_TRUE(settings_of({"--location-trusted"}).client.trust_redirects);
  EXPECT_EQ(settings_of({"-L", "--max-redirs", "3"}).client.max_redirects, 3U);
  EXPECT_EQ(settings_of({"-L", "--max-redirs", "-1"}).client.max_redirects,
            std::numeric_limits<unsigned>::max());
  EXPECT_EQ(error_of({"--max-redirs", "3"}), "get: --max-redirs: needs --location");
  EXPECT_TRUE(settings_of({"-f"}).fail);
  EXPECT_EQ(settings_of({"--retry", "4"}).client.retry.attempts, 4U);
  EXPECT_EQ(settings_of({"-m", "2.5"}).client.total_timeout, Duration(2500ms));
  EXPECT_EQ(settings_of({"-m", "80ms"}).client.total_timeout, Duration(80ms));
  EXPECT_EQ(settings_of({"-m", "0"}).client.total_timeout, Duration::max());
  EXPECT_EQ(error_of({"-m", "1.2.3"}), "get: --max-time: '1.2.3' is not a duration (try 50ms, 30s, 3m)");
}

TEST(GetSettings, TakeTheOptionsOfTheOutput) {
  EXPECT_EQ(settings_of({"-o", "f"}).targets.front().place, (GetPlace{GetPlace::Kind::kFile, "f"}));
  EXPECT_EQ(settings_of({"-o", "-"}).targets.front().place, (GetPlace{GetPlace::Kind::kStandardOutput, ""}));
  EXPECT_EQ(settings_of({"-O"}).targets.front().place, (GetPlace{GetPlace::Kind::kFile, "file"}));
  EXPECT_TRUE(settings_of({"-i"}).include);
  EXPECT_FALSE(settings_of({"-s"}).show_errors);
  EXPECT_TRUE(settings_of({"-sS"}).show_errors);
  EXPECT_TRUE(settings_of({"-s"}).silent);
  EXPECT_TRUE(settings_of({"-v"}).verbose);
  EXPECT_TRUE(settings_of({"-v"}).network.notes);
  EXPECT_EQ(settings_of({"-w", "%{http_code}\\n"}).write_out, "%{http_code}\\n");
  EXPECT_EQ(settings_of({"-w", TestFile("from a file").at()}).write_out, "from a file");
  const TestFile lines("%{method}\r\n%{url}\\n\n");
  EXPECT_EQ(settings_of({"-w", lines.at()}).write_out, "%{method}%{url}\\n");
  EXPECT_NE(error_of({"-w", "@/nonexistent"}, Error::Exit::kReadFailed), "");
  EXPECT_EQ(settings_of({"--output-format", "json"}).format, GetFormat::kJson);
  EXPECT_EQ(settings_of({"--plot", "a.svg"}).plot, "a.svg");
  EXPECT_EQ(error_of({"--plot", "a.pdf"}), "get: --plot: 'a.pdf' ends with neither .svg nor .png");
}

TEST(GetSettings, PairOutputsWithUrlsInTheirOrder) {
  const auto settings = parse({"-o", "one", "http://h/a", "-O", "http://h/b/c?d", "http://h/e"});
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_EQ(settings->targets.size(), 3U);
  EXPECT_EQ(settings->targets[0].place.file, "one");
  EXPECT_EQ(settings->targets[1].place.file, "c");
  EXPECT_EQ(settings->targets[2].place.kind, GetPlace::Kind::kStandardOutput);
  EXPECT_EQ(settings->pace.requests, 3U);
  EXPECT_EQ(error_of({"-o", "a", "-o", "b"}), "get: --output: is given more often than there are URLs");
  EXPECT_EQ(parse({"-O", "http://h/"}).error().exit, Error::Exit::kWriteFailed);
}

TEST(GetSettings, TakeTheOptionsOfRepetition) {
  const GetSettings counted = settings_of({"-n", "1000000", "-c", "8"});
  EXPECT_TRUE(counted.repeated);
  EXPECT_EQ(counted.pace.requests, 1'000'000U);
  EXPECT_EQ(counted.pace.concurrency, 8U);
  EXPECT_EQ(counted.targets.front().place.kind, GetPlace::Kind::kNowhere);
  EXPECT_EQ(counted.targets.front().request.read_limit, 0U);
  EXPECT_FALSE(settings_of({"-n", "1"}).repeated);
  const GetSettings timed = settings_of({"-z", "10s"});
  EXPECT_TRUE(timed.repeated);
  EXPECT_EQ(timed.pace.duration, Duration(10s));
  EXPECT_GT(timed.pace.requests, 1'000'000'000U);
  EXPECT_EQ(settings_of({"-z", "1", "-n", "5"}).pace.requests, 5U);
  EXPECT_EQ(settings_of({"--think", "0.1"}).pace.think, Duration(100ms));
  EXPECT_EQ(error_of({"-c", "2"}), "get: --concurrency: needs --requests above 1, or --duration");
  EXPECT_NE(error_of({"-n", "0"}), "");
}

TEST(GetSettings, ReadRatesInSeveralUnits) {
  EXPECT_EQ(settings_of({"-q", "200"}).pace.interval, Duration(5ms));
  EXPECT_EQ(settings_of({"-q", "0.5"}).pace.interval, Duration(2s));
  EXPECT_EQ(settings_of({"-q", "30/m"}).pace.interval, Duration(2s));
  EXPECT_EQ(settings_of({"-q", "2/s"}).pace.interval, Duration(500ms));
  EXPECT_EQ(settings_of({"-q", "60/h"}).pace.interval, Duration(60s));
  for (const char* text : {"0", "-1", "x", "1/", "1/d", "nan", "inf", "1e3", "99999999", "0.000001"}) {
    EXPECT_NE(error_of({"-q", text}), "") << text;
  }
}

TEST(GetSettings, TakeWhatIsReadOfABody) {
  EXPECT_EQ(request_of({"--read", "none"}).read_limit, 0U);
  EXPECT_EQ(request_of({"--read", "4KiB"}).read_limit, 4096U);
  EXPECT_EQ(request_of({"-n", "2", "--read", "all"}).read_limit, client::kReadAll);
  EXPECT_EQ(request_of({"-n", "2", "-o", "f"}).read_limit, client::kReadAll);
  EXPECT_EQ(error_of({"--read", "some"}), "get: --read: 'some' is not a size (try 100, 64KiB, 1MiB)");
}

TEST(GetSettings, TakeTheOptionsOfReuse) {
  const client::Options options = settings_of({"--drain-bytes", "1MiB", "--drain-time", "80ms", "--max-idle",
                                               "3", "--idle-timeout", "5s"})
                                      .client;
  EXPECT_EQ(options.drain.bytes, 1024U * 1024);
  EXPECT_EQ(options.drain.time, Duration(80ms));
  EXPECT_EQ(options.pool.max_idle, 3U);
  EXPECT_EQ(options.pool.idle_timeout, Duration(5s));
  EXPECT_FALSE(settings_of({"--no-drain"}).client.drain.enabled);
  EXPECT_EQ(error_of({"--no-drain", "--drain-time", "1s"}), "get: --no-drain: does not go with --drain-time");
  EXPECT_EQ(error_of({"--no-drain", "--drain-bytes", "1"}),
            "get: --no-drain: does not go with --drain-bytes");
}

TEST(GetSettings, TakeTheOptionsOfConnecting) {
  EXPECT_EQ(settings_of({"-4"}).network.family, net::Family::kIpv4);
  EXPECT_EQ(settings_of({"-6"}).network.family, net::Family::kIpv6);
  EXPECT_EQ(error_of({"-4", "-6"}), "get: --ipv4: does not go with --ipv6");
  const client::HostOverrides::Target origin{"h", 80};
  EXPECT_NE(settings_of({"--resolve", "h:80:127.0.0.1"}).network.overrides.addresses(origin, {}), nullptr);
  EXPECT_NE(error_of({"--resolve", "h"}), "");
  EXPECT_EQ(settings_of({"--connect-to", "h:80:i:81"}).network.overrides.target(origin).host, "i");
  EXPECT_NE(error_of({"--connect-to", "h"}), "");
  EXPECT_EQ(settings_of({"--unix-socket", "/s"}).network.unix_path, "/s");
  EXPECT_NE(error_of({"--unix-socket", std::string(200, 'x')}), "");
  EXPECT_EQ(settings_of({"--connect-timeout", "1.5"}).client.connect_timeout, Duration(1500ms));
  EXPECT_EQ(settings_of({"--connect-timeout", "0"}).client.connect_timeout, Duration(300s));
}

TEST(GetSettings, PutTheBodyIntoChunksIfAFieldSays) {
  constexpr const char* kField = "Transfer-Encoding: Chunked";
  EXPECT_EQ(*request_of({"-d", "eleven byte", "-H", kField}).body, "b\r\neleven byte\r\n0\r\n\r\n");
  EXPECT_EQ(*request_of({"-d", "", "-H", kField}).body, "0\r\n\r\n");
  EXPECT_NE(error_of({"-d", "x", "-H", "Transfer-Encoding: gzip"}), "");
  EXPECT_NE(error_of({"-0", "-d", "x", "-H", kField}), "");
}

TEST(GetSettings, TakeProxiesFromOptionsAndEnvironment) {
  const client::Origin origin{.secure = false, .host = "h", .port = 80};
  EXPECT_EQ(settings_of({"-x", "p:3128"}).client.proxies.find(origin)->origin.host, "p");
  variables_set = {{"http_proxy", "http://q:1"}, {"no_proxy", "other"}};
  EXPECT_EQ(settings_of({}).client.proxies.find(origin)->origin.host, "q");
  EXPECT_EQ(settings_of({"-x", "p:3128"}).client.proxies.find(origin)->origin.host, "p");
  EXPECT_EQ(settings_of({"-x", ""}).client.proxies.find(origin), nullptr);
  EXPECT_EQ(settings_of({"--noproxy", "h"}).client.proxies.find(origin), nullptr);
  EXPECT_EQ(settings_of({"--unix-socket", "/s"}).client.proxies.find(origin), nullptr);
  variables_set = {{"http_proxy", "socks5://q:1"}};
  EXPECT_NE(error_of({}), "");
  variables_set.clear();
}

TEST(GetSettings, TakeTheOptionsOfTls) {
  EXPECT_TRUE(settings_of({}).network.tls.verify);
  const tls::ClientOptions tls =
      settings_of({"-k", "--cacert", "ca", "--capath", "dir", "-E", "c", "--key", "k"}).network.tls;
  EXPECT_FALSE(tls.verify);
  EXPECT_EQ(tls.ca_file, "ca");
  EXPECT_EQ(tls.ca_directory, "dir");
  EXPECT_EQ(tls.certificate, "c");
  EXPECT_EQ(tls.key, "k");
  EXPECT_EQ(error_of({"--key", "k"}), "get: --key: needs --cert");
}

/// A new option must be added to the tests above: this counts what the table has.
TEST(GetSettings, LeaveNoOptionUntested) { EXPECT_EQ(get_command().options.size(), 55U); }

TEST(GetSettings, WantAUrlThatIsOne) {
  EXPECT_EQ(parse({}).error().message, "get: URL: is missing (try 'h2park get --help')");
  const auto bad = parse({"http://h/", "ht tp://x"});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().exit, Error::Exit::kBadUrl);
}

TEST(GetSettings, SendTheCredentialsOfAUrl) {
  const auto settings = parse({"http://me:secret@h/"});
  ASSERT_TRUE(settings);
  EXPECT_EQ(field_of(settings->targets.front().request, "authorization"), "Basic bWU6c2VjcmV0");
  EXPECT_EQ(error_of({"-u", "me"}), "get: --user: has no password (write 'NAME:' for an empty one)");
}

TEST(GetSettings, RefuseWhatDoesNotGoTogether) {
  EXPECT_EQ(error_of({"-I", "-d", "x"}), "get: --head: does not go with --data");
  EXPECT_EQ(error_of({"--http1.0", "--http1.1"}), "get: --http1.0: does not go with --http1.1");
  EXPECT_NE(error_of({"--output-format", "json", "-o", "-"}), "");
  EXPECT_NE(error_of({"--output-format", "json", "-w", "x"}), "");
  EXPECT_NE(error_of({"--output-format", "json", "-i"}), "");
  EXPECT_NE(error_of({"-n", "2", "-i"}), "");
  EXPECT_EQ(error_of({"-n", "4", "-c", "2", "-o", "f"}),
            "get: --output: with --concurrency above 1 only /dev/null can take the bodies");
  EXPECT_EQ(error_of({"-n", "4", "-c", "2", "-o", "/dev/null"}), "");
  EXPECT_NE(error_of({"-e", "http://r;auto"}), "");
}

}  // namespace
}  // namespace h2park::cmd
