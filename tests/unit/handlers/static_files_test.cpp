#include "handlers/static_files.hpp"

#include "handlers/content_type.hpp"
#include "handlers/static_files_conditions.hpp"
#include "handlers/static_files_path.hpp"
#include "handlers/static_files_range.hpp"
#include "handlers/static_files_root.hpp"
#include "http/date.hpp"
#include "http/date_reader.hpp"
#include "support/handler_rig.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace h2park::handlers {
namespace {

using namespace std::chrono_literals;
using test::Answer;
using test::FieldList;
using test::HandlerRig;
namespace fs = std::filesystem;

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Each test runs with both resolvers.
class StaticFilesTest : public testing::TestWithParam<FileRoot::Resolver> {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "static_files_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    root_ = folder_ / "root";
    fs::create_directories(root_ / "dir" / "inner");
    fs::create_directories(root_ / "bare");
    fs::create_directories(root_ / ".git");
    write_file(folder_ / "secret.txt", "secret");
    write_file(root_ / "a.txt", "0123456789");
    write_file(root_ / "empty.css", "");
    write_file(root_ / "index.html", "<p>root");
    write_file(root_ / "dir" / "index.html", "<p>dir");
    write_file(root_ / "dir" / "with space.txt", "space");
    write_file(root_ / ".hidden", "hidden");
    write_file(root_ / ".git" / "config", "config");
    set_time("a.txt", kModified);
    auto root = FileRoot::open(root_.string(), GetParam());
    ASSERT_TRUE(root.has_value());
    files_ = std::make_unique<StaticFiles>(std::move(*root));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void set_time(const std::string& name, std::int64_t seconds) {
    const timespec times[2] = {{seconds, 0}, {seconds, 500}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (root_ / name).c_str(), times, 0), 0);
  }
  const Answer& get(std::string_view target, FieldList fields = {}) {
    return rig_.ask("GET", target, fields);
  }
  std::string etag(std::string_view target = "/a.txt") { return std::string(get(target).field("etag")); }

  static constexpr std::int64_t kModified = 1'700'000'000;  // Tue, 14 Nov 2023 22:13:20 GMT
  static constexpr std::string_view kModifiedText = "Tue, 14 Nov 2023 22:13:20 GMT";
  static constexpr std::string_view kEarlier = "Tue, 14 Nov 2023 22:13:19 GMT";
  fs::path folder_;
  fs::path root_;
  std::unique_ptr<StaticFiles> files_;
  HandlerRig rig_{
      [this](http::Request& request, http::Responder& response) { return (*files_)(request, response); }};
};

INSTANTIATE_TEST_SUITE_P(Resolvers, StaticFilesTest,
                         testing::Values(FileRoot::Resolver::kKernel, FileRoot::Resolver::kWalk),
                         [](const auto& resolver) {
                           return resolver.param == FileRoot::Resolver::kKernel ? "Kernel" : "Walk";
                         });

TEST_P(StaticFilesTest, SendsAFile) {
  const Answer& answer = get("/a.txt?version=3");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "0123456789");
  EXPECT_EQ(answer.content_length, 10U);
  EXPECT_EQ(answer.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer.field("last-modified"), kModifiedText);
  EXPECT_EQ(answer.field("accept-ranges"), "bytes");
  EXPECT_TRUE(answer.field("etag").starts_with('"'));
  EXPECT_TRUE(answer.ended);
}

TEST_P(StaticFilesTest, SendsAnEmptyFile) {
  const Answer& answer = get("/empty.css");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.content_length, 0U);
  EXPECT_TRUE(answer.ended);
}

TEST_P(StaticFilesTest, AnswersHeadAsGetWithoutTheBody) {
  const Answer get_answer = get("/a.txt");
  const Answer& answer = rig_.ask("HEAD", "/a.txt");
  EXPECT_EQ(answer.fields, get_answer.fields);
  EXPECT_EQ(answer.content_length, 10U);
  EXPECT_TRUE(answer.body.empty());
  EXPECT_TRUE(answer.ended);
}

TEST_P(StaticFilesTest, KnowsGetAndHeadOnly) {
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH", "TRACE"}) {
    EXPECT_EQ(rig_.ask(method, "/a.txt").status, 405U) << method;
    EXPECT_EQ(rig_.answer().field("allow"), "GET, HEAD, OPTIONS");
  }
  EXPECT_EQ(rig_.ask("OPTIONS", "/a.txt").status, 204U);
  EXPECT_EQ(rig_.ask("OPTIONS", "*").status, 204U);
  EXPECT_EQ(rig_.ask("CONNECT", "").status, 501U);
  EXPECT_EQ(rig_.ask("BREW", "/a.txt").status, 501U);
}

TEST_P(StaticFilesTest, AnswersADirectoryWithItsIndex) {
  EXPECT_EQ(get("/").body, "<p>root");
  EXPECT_EQ(get("/dir/").body, "<p>dir");
  EXPECT_EQ(rig_.answer().field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(get("/bare/").status, 404U);
}

TEST_P(StaticFilesTest, RedirectsADirectoryToItsSlash) {
  EXPECT_EQ(get("/dir").status, 301U);
  EXPECT_EQ(rig_.answer().field("location"), "/dir/");
  EXPECT_EQ(get("/dir?a=b").field("location"), "/dir/?a=b");
  EXPECT_EQ(get("/%64ir").field("location"), "/%64ir/");
}

TEST_P(StaticFilesTest, NeverRedirectsToAnotherHost) {
  for (const auto* target : {"//dir", "//example.com", "/%2fexample.com", "/\\example.com"}) {
    EXPECT_EQ(get(target).status, 404U) << target;
    EXPECT_EQ(rig_.answer().field("location"), "");
  }
}

TEST_P(StaticFilesTest, DecodesNames) { EXPECT_EQ(get("/dir/with%20space.txt").body, "space"); }

TEST_P(StaticFilesTest, LetsNobodyOutOfTheRoot) {
  for (const auto* target :
       {"/../secret.txt", "/%2e%2e/secret.txt", "/.%2e/secret.txt", "/dir/../../secret.txt",
        "/dir/..%2f..%2fsecret.txt", "/..%5csecret.txt", "/dir/%2e%2e/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt", "/..;/secret.txt", "/..", "/dir/..", "/./a.txt"}) {
    EXPECT_EQ(get(target).status, 404U) << target;
  }
  EXPECT_EQ(get(std::string("/") + (folder_ / "secret.txt").string()).status, 404U);
  EXPECT_EQ(get("/%00").status, 400U);
  EXPECT_EQ(get("/a.txt%00.html").status, 400U);
  EXPECT_EQ(get("/%zz").status, 400U);
  EXPECT_EQ(get("/%252e%252e/secret.txt").status, 404U);
}

TEST_P(StaticFilesTest, FollowsNoSymbolicLinkOut) {
  fs::create_symlink("../secret.txt", root_ / "file_out.txt");
  fs::create_symlink(folder_ / "secret.txt", root_ / "absolute.txt");
  fs::create_directory_symlink("..", root_ / "dir_out");
  fs::create_directory_symlink("/", root_ / "slash");
  fs::create_symlink("loop.txt", root_ / "loop.txt");
  fs::create_symlink("/proc/self/root/etc/hostname", root_ / "magic.txt");
  for (const auto* target : {"/file_out.txt", "/absolute.txt", "/dir_out/secret.txt", "/dir_out/",
                             "/slash/etc/passwd", "/loop.txt", "/magic.txt"}) {
    const Answer& answer = get(target);
    EXPECT_EQ(answer.status, 404U) << target;
    EXPECT_EQ(answer.body, "no such file\n") << target;
  }
}

TEST_P(StaticFilesTest, FollowsSymbolicLinksThatStayInsideWhereTheKernelChecksThem) {
  fs::create_symlink("../a.txt", root_ / "dir" / "link.txt");
  EXPECT_EQ(get("/dir/link.txt").status, GetParam() == FileRoot::Resolver::kKernel ? 200U : 404U);
}

TEST_P(StaticFilesTest, ShowsNoDotFiles) {
  for (const auto* target : {"/.hidden", "/.git/config", "/%2ehidden", "/dir/.hidden", "/.git/", "/.git"}) {
    EXPECT_EQ(get(target).status, 404U) << target;
  }
}

TEST_P(StaticFilesTest, SendsRegularFilesOnly) {
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(get("/pipe").status, 404U);
  EXPECT_EQ(get("/a.txt/").status, 404U);
  EXPECT_EQ(get("/a.txt/more").status, 404U);
  EXPECT_EQ(get("/none.txt").status, 404U);
  EXPECT_EQ(get("/" + std::string(5000, 'x')).status, 404U);
}

TEST_P(StaticFilesTest, ReadsNothingUntilThePeerTakesIt) {
  write_file(root_ / "large.bin", std::string(1'000'000, 'x'));
  rig_.hold();
  rig_.start("GET", "/large.bin");
  EXPECT_EQ(rig_.answer().content_length, 1'000'000U);
  EXPECT_EQ(rig_.driver.budget.queued, 0U);
  EXPECT_EQ(rig_.take(1000), 1000U);
  rig_.release();
  EXPECT_EQ(rig_.answer().body, std::string(1'000'000, 'x'));
}

TEST_P(StaticFilesTest, BreaksOffWhenTheFileHasBecomeShorter) {
  write_file(root_ / "shrinks.bin", std::string(100'000, 'x'));
  rig_.hold();
  rig_.start("GET", "/shrinks.bin");
  rig_.take(50'000);
  fs::resize_file(root_ / "shrinks.bin", 60'000);
  rig_.release();
  EXPECT_EQ(rig_.answer().body_bytes, 60'000U);
  EXPECT_TRUE(rig_.answer().source_failed);
  EXPECT_FALSE(rig_.answer().ended);
}

TEST_P(StaticFilesTest, ChangesTheTagWithTheFile) {
  const std::string before = etag();
  EXPECT_EQ(etag(), before);
  set_time("a.txt", kModified + 1);
  EXPECT_NE(etag(), before);
  set_time("a.txt", kModified);
  EXPECT_EQ(etag(), before);
  write_file(root_ / "a.txt", "longer than before");
  set_time("a.txt", kModified);
  EXPECT_NE(etag(), before);
}

TEST_P(StaticFilesTest, NeverSaysModifiedInTheFuture) {
  set_time("a.txt", 4'000'000'000);
  EXPECT_EQ(get("/a.txt").field("last-modified"), http::date_text(rig_.driver.time.wall()));
}

TEST_P(StaticFilesTest, AnswersNotModified) {
  const std::string tag = etag();
  for (const std::string& list : {tag, "W/" + tag, "\"x\", " + tag, std::string("*"), "\"a,b\"," + tag}) {
    const Answer& answer = get("/a.txt", {{"if-none-match", list}});
    EXPECT_EQ(answer.status, 304U) << list;
    EXPECT_EQ(answer.field("etag"), tag);
    EXPECT_EQ(answer.field("last-modified"), kModifiedText);
    EXPECT_TRUE(answer.body.empty());
    EXPECT_TRUE(answer.ended);
  }
  EXPECT_EQ(get("/a.txt", {{"if-none-match", "\"x\""}}).status, 200U);
  EXPECT_EQ(get("/a.txt", {{"if-modified-since", kModifiedText}}).status, 304U);
  EXPECT_EQ(get("/a.txt", {{"if-modified-since", kEarlier}}).status, 200U);
  EXPECT_EQ(get("/a.txt", {{"if-modified-since", "yesterday"}}).status, 200U);
  EXPECT_EQ(get("/a.txt", {{"if-none-match", "\"x\""}, {"if-modified-since", kModifiedText}}).status, 200U)
      << "the tag decides alone";
  EXPECT_EQ(rig_.ask("HEAD", "/a.txt", {{"if-none-match", tag}}).status, 304U);
}

TEST_P(StaticFilesTest, FailsPreconditions) {
  const std::string tag = etag();
  EXPECT_EQ(get("/a.txt", {{"if-match", tag}}).status, 200U);
  EXPECT_EQ(get("/a.txt", {{"if-match", "*"}}).status, 200U);
  EXPECT_EQ(get("/a.txt", {{"if-match", "\"x\""}}).status, 412U);
  EXPECT_EQ(get("/a.txt", {{"if-match", "W/" + tag}}).status, 412U) << "compared strongly";
  EXPECT_EQ(get("/a.txt", {{"if-unmodified-since", kModifiedText}}).status, 200U);
  EXPECT_EQ(get("/a.txt", {{"if-unmodified-since", kEarlier}}).status, 412U);
  EXPECT_EQ(get("/a.txt", {{"if-match", tag}, {"if-unmodified-since", kEarlier}}).status, 200U);
  EXPECT_EQ(get("/a.txt", {{"if-match", tag}, {"if-none-match", tag}}).status, 304U);
}

TEST_P(StaticFilesTest, SendsARange) {
  const auto range = [this](std::string_view text) -> const Answer& {
    return get("/a.txt", {{"range", text}});
  };
  EXPECT_EQ(range("bytes=2-4").status, 206U);
  EXPECT_EQ(rig_.answer().body, "234");
  EXPECT_EQ(rig_.answer().content_length, 3U);
  EXPECT_EQ(rig_.answer().field("content-range"), "bytes 2-4/10");
  EXPECT_EQ(range("bytes=7-").body, "789");
  EXPECT_EQ(range("bytes=-2").body, "89");
  EXPECT_EQ(range("bytes=-99").field("content-range"), "bytes 0-9/10");
  EXPECT_EQ(range("bytes=0-99").field("content-range"), "bytes 0-9/10");
  EXPECT_EQ(range("bytes=10-").status, 416U);
  EXPECT_EQ(rig_.answer().field("content-range"), "bytes */10");
  EXPECT_EQ(range("bytes=-0").status, 416U);
  for (const auto* whole :
       {"bytes=1-2,4-5", "bytes=4-2", "bytes=x-", "bytes", "lines=1-2", "bytes=-", "bytes=1"}) {
    EXPECT_EQ(range(whole).status, 200U) << whole;
    EXPECT_EQ(rig_.answer().body, "0123456789");
  }
}

TEST_P(StaticFilesTest, IgnoresARangeOfHeadAndTwoRangeFields) {
  EXPECT_EQ(rig_.ask("HEAD", "/a.txt", {{"range", "bytes=1-2"}}).status, 200U);
  EXPECT_EQ(get("/a.txt", {{"range", "bytes=1-2"}, {"range", "bytes=3-4"}}).status, 200U);
}

TEST_P(StaticFilesTest, SendsARangeOnlyOfTheVersionThatIsMeant) {
  const std::string tag = etag();
  const auto status = [this](std::string_view condition) {
    return get("/a.txt", {{"range", "bytes=1-2"}, {"if-range", condition}}).status;
  };
  EXPECT_EQ(status(tag), 206U);
  EXPECT_EQ(status("\"x\""), 200U);
  EXPECT_EQ(status("W/" + tag), 200U);
  EXPECT_EQ(status(kModifiedText), 206U);
  EXPECT_EQ(status(kEarlier), 200U);
  EXPECT_EQ(status("Tue, 14 Nov 2023 22:13:21 GMT"), 200U) << "a date must match exactly";
  EXPECT_EQ(status("nonsense"), 200U);
}

TEST_P(StaticFilesTest, SaysWhenTheRootIsNoDirectory) {
  const auto file = FileRoot::open((root_ / "a.txt").string());
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().message,
            "cannot serve files from " + (root_ / "a.txt").string() + ": Not a directory");
  EXPECT_FALSE(FileRoot::open((root_ / "none").string()).has_value());
}

// ---- the parts

TEST(ContentType, GoesByTheEndOfTheName) {
  EXPECT_EQ(content_type_of("index.html"), "text/html; charset=utf-8");
  EXPECT_EQ(content_type_of("a/b.c/INDEX.HTM"), "text/html; charset=utf-8");
  EXPECT_EQ(content_type_of("app.min.js"), "text/javascript; charset=utf-8");
  EXPECT_EQ(content_type_of("x.woff2"), "font/woff2");
  EXPECT_EQ(content_type_of("x.zst"), "application/zstd");
  EXPECT_EQ(content_type_of("x.7z"), "application/x-7z-compressed");
  EXPECT_EQ(content_type_of("x.webmanifest"), "application/manifest+json");
  for (const auto* name :
       {"", "README", "dir.html/file", "x.", "x.unknown", "x.averyveryverylongextension"}) {
    EXPECT_EQ(content_type_of(name), "application/octet-stream") << name;
  }
}

TEST(HttpDate, IsReadInItsThreeForms) {
  const std::chrono::system_clock::time_point now{1'800'000'000s};
  const std::chrono::sys_seconds expected{784'111'777s};
  EXPECT_EQ(http::parse_date("Sun, 06 Nov 1994 08:49:37 GMT", now), expected);
  EXPECT_EQ(http::parse_date("Sunday, 06-Nov-94 08:49:37 GMT", now), expected);
  EXPECT_EQ(http::parse_date("Sun Nov  6 08:49:37 1994", now), expected);
  EXPECT_EQ(http::parse_date("Wed Nov 16 08:49:37 1994", now), expected + 240h);
  EXPECT_EQ(http::parse_date("Sunday, 06-Nov-30 08:49:37 GMT", now),
            std::chrono::sys_seconds{1'920'185'377s});
}

TEST(HttpDate, RefusesEverythingElse) {
  const std::chrono::system_clock::time_point now{1'800'000'000s};
  const std::string good = "Sun, 06 Nov 1994 08:49:37 GMT";
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_FALSE(http::parse_date(good.substr(0, cut), now)) << cut;
  for (const auto* bad :
       {"Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT"}) {
    EXPECT_FALSE(http::parse_date(bad, now)) << bad;
  }
}

TEST(ByteRange, DoesNotOverflow) {
  using Kind = ByteRange::Kind;
  EXPECT_EQ(parse_range("bytes=0-99999999999999999999999", 10).bytes, 10U);
  EXPECT_EQ(parse_range("bytes=99999999999999999999999-", 10).kind, Kind::kUnsatisfiable);
  EXPECT_EQ(parse_range("bytes=-99999999999999999999999", 10).bytes, 10U);
  EXPECT_EQ(parse_range("bytes=0-18446744073709551615", 10).bytes, 10U);
  EXPECT_EQ(parse_range("bytes=0-", 0).kind, Kind::kUnsatisfiable);
  EXPECT_EQ(parse_range("bytes=-5", 0).kind, Kind::kWhole);
  EXPECT_EQ(parse_range("BYTES= 1-1 ", 10).bytes, 1U);
}

TEST(FilePath, IsWhatTheSegmentsSay) {
  EXPECT_EQ(file_path_of("/a/b")->below_root, "a/b");
  EXPECT_EQ(file_path_of("/")->below_root, "index.html");
  EXPECT_EQ(file_path_of("/a/")->below_root, "a/index.html");
  EXPECT_TRUE(file_path_of("/a/")->is_directory);
  EXPECT_FALSE(file_path_of("/a")->is_directory);
  EXPECT_EQ(file_path_of("/a//").error(), 404U);
}

TEST(FileRoot, UsesTheKernelsResolverWhereThereIsOne) {
  const auto root = FileRoot::open("/");
  ASSERT_TRUE(root.has_value());
  if (root->resolver() == FileRoot::Resolver::kWalk) GTEST_SKIP() << "no openat2 here";
  EXPECT_TRUE(root->open_below("proc/self/status").has_value());
}

}  // namespace
}  // namespace h2park::handlers
