#include "handlers/access_log.hpp"

#include "handlers/access_log_entry.hpp"
#include "handlers/access_log_middleware.hpp"
#include "handlers/access_log_sink.hpp"
#include "handlers/middleware.hpp"
#include "handlers/route_json.hpp"
#include "net/unique_fd.hpp"
#include "support/handler_rig.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include <boost/json.hpp>

namespace h2park::handlers {
namespace {

using namespace std::chrono_literals;
using test::HandlerRig;

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class AccessLogTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "access_log_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ + "/access.log";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<AccessLog> open(AccessLogFormat format = AccessLogFormat::kText) {
    auto log = AccessLog::open({format, file_}, reporter());
    EXPECT_TRUE(log.has_value());
    return std::move(*log);
  }
  // A log into a pipe that nobody reads yet.
  std::unique_ptr<AccessLog> open_pipe(std::size_t queue_bytes) {
    file_ = folder_ + "/pipe";
    EXPECT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    reader_ = net::UniqueFd(::open(file_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    auto sink = AccessLogSink::open(file_);
    EXPECT_TRUE(sink.has_value());
    return std::make_unique<AccessLog>(AccessLogFormat::kText, std::move(*sink), reporter(), queue_bytes);
  }
  AccessLog::Report reporter() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      reports_.emplace_back(line);
    };
  }
  std::vector<std::string> reports() {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  // Reads the pipe until `log` has written what it holds.
  std::string read_until_drained(const AccessLog& log) {
    std::string text;
    char room[65536];
    do {
      for (ssize_t bytes; (bytes = ::read(reader_.get(), room, sizeof room)) > 0;) {
        text.append(room, static_cast<std::size_t>(bytes));
      }
    } while (!log.drain(1ms));
    for (ssize_t bytes; (bytes = ::read(reader_.get(), room, sizeof room)) > 0;) {
      text.append(room, static_cast<std::size_t>(bytes));
    }
    return text;
  }

  std::string folder_;
  std::string file_;
  net::UniqueFd reader_;

 private:
  std::mutex mutex_;
  std::vector<std::string> reports_;
};

TEST_F(AccessLogTest, WritesLinesInOrder) {
  const auto log = open();
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    EXPECT_TRUE(log->enqueue(line));
    expected += line;
  }
  ASSERT_TRUE(log->drain(10s));
  EXPECT_EQ(read_file(file_), expected);
  EXPECT_EQ(log->dropped(), 0U);
}

TEST_F(AccessLogTest, AppendsToWhatIsThere) {
  std::ofstream(file_) << "before\n";
  open()->enqueue("after\n");
  EXPECT_EQ(read_file(file_), "before\nafter\n");
}

TEST_F(AccessLogTest, FlushesAtItsEnd) {
  open()->enqueue("last words\n");
  EXPECT_EQ(read_file(file_), "last words\n");
}

TEST_F(AccessLogTest, KeepsLinesOfSeveralThreadsWhole) {
  const auto log = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 500; ++i) log->enqueue(std::string(50, static_cast<char>('a' + t)) + "\n");
    });
  }
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE(log->drain(10s));
  std::istringstream lines(read_file(file_));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_EQ(line, std::string(50, line[0]));
  EXPECT_EQ(count, 2000);
}

TEST_F(AccessLogTest, SplitsAtTheLineWhereItIsReopened) {
  const auto log = open();
  const std::string rotated = file_ + ".1";
  log->enqueue("old\n");
  ASSERT_TRUE(log->drain(10s));
  std::filesystem::rename(file_, rotated);
  log->enqueue("still old\n");
  log->reopen();
  log->enqueue("new\n");
  ASSERT_TRUE(log->drain(10s));
  EXPECT_EQ(read_file(rotated), "old\nstill old\n");
  EXPECT_EQ(read_file(file_), "new\n");
}

TEST_F(AccessLogTest, KeepsTheOldFileWhenTheNewOneCannotBeOpened) {
  const auto log = open();
  log->enqueue("one\n");
  ASSERT_TRUE(log->drain(10s));
  const std::string moved = folder_ + "/moved";
  std::filesystem::rename(file_, moved);
  std::filesystem::create_directory(file_);
  log->reopen();
  log->enqueue("two\n");
  ASSERT_TRUE(log->drain(10s));
  EXPECT_EQ(read_file(moved), "one\ntwo\n");
  ASSERT_EQ(reports().size(), 1U);
  EXPECT_NE(reports()[0].find(file_), std::string::npos);
  EXPECT_NE(reports()[0].find("Is a directory"), std::string::npos) << reports()[0];
}

TEST_F(AccessLogTest, NamesTheFileItCannotOpen) {
  const auto log = AccessLog::open({AccessLogFormat::kText, folder_ + "/none/access.log"});
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().exit, Error::Exit::kFailure);
  EXPECT_EQ(log.error().message,
            "cannot open the access log " + folder_ + "/none/access.log: No such file or directory");
}

TEST_F(AccessLogTest, DoesNotWaitForAReaderOfAPipe) {
  file_ = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_FALSE(AccessLog::open({AccessLogFormat::kText, file_}).has_value());
}

TEST_F(AccessLogTest, DropsAndCountsWhenThePipeIsBlocked) {
  constexpr std::size_t kQueue = 64 * 1024;
  const auto log = open_pipe(kQueue);
  const std::string line = std::string(999, 'x') + "\n";
  std::uint64_t refused = 0;
  for (int i = 0; i < 1000; ++i) refused += log->enqueue(line) ? 0 : 1;
  // The pipe holds 64 KiB, the writer and the queue 64 KiB each.
  EXPECT_GE(refused, 1000U - 3 * 66);
  EXPECT_EQ(log->dropped(), refused);
  const std::string text = read_until_drained(*log);
  EXPECT_EQ(text.size(), (1000 - refused) * line.size());
  EXPECT_EQ(log->dropped(), refused);
}

TEST_F(AccessLogTest, ReportsABurstOfDropsOnce) {
  auto log = open_pipe(16 * 1024);
  const std::string line = std::string(999, 'x') + "\n";
  // Line by line until the pipe is full and the writer stands still: from there on all drops are one burst.
  while (log->enqueue(line) && log->drain(500ms)) {
  }
  ASSERT_EQ(log->dropped(), 0U);
  for (int i = 0; i < 1000; ++i) log->enqueue(line);
  read_until_drained(*log);
  log->enqueue("after\n");
  read_until_drained(*log);
  ASSERT_EQ(reports().size(), 1U);
  EXPECT_EQ(reports()[0],
            "access log: " + std::to_string(log->dropped()) + " lines dropped, the log cannot keep up");
}

TEST_F(AccessLogTest, EndsWithinASecondAndABitWhenThePipeIsBlocked) {
  auto log = open_pipe(256 * 1024);
  for (int i = 0; i < 250; ++i) log->enqueue(std::string(999, 'x') + "\n");
  const auto start = std::chrono::steady_clock::now();
  log.reset();
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, 500ms);
  EXPECT_LT(took, 5s);
  EXPECT_EQ(reports().size(), 1U);
}

TEST_F(AccessLogTest, CountsWhatADeadPipeLosesAndGoesOn) {
  const auto log = open_pipe(64 * 1024);
  reader_.reset();
  EXPECT_TRUE(log->enqueue("nobody reads this\n"));
  ASSERT_TRUE(log->drain(10s));
  EXPECT_EQ(log->dropped(), 1U);
  ASSERT_EQ(reports().size(), 1U);
  EXPECT_EQ(reports()[0], "access log: 1 line dropped, Broken pipe");
}

TEST_F(AccessLogTest, ReportsAFailingSinkWhenItBeginsAndWhenItIsOver) {
  const auto log = open_pipe(64 * 1024);
  reader_.reset();
  for (int i = 0; i < 5; ++i) {
    log->enqueue("lost\n");
    ASSERT_TRUE(log->drain(10s));
  }
  EXPECT_EQ(log->dropped(), 5U);
  EXPECT_EQ(reports().size(), 1U);
  reader_ = net::UniqueFd(::open(file_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  log->enqueue("kept\n");
  EXPECT_EQ(read_until_drained(*log), "kept\n");
  ASSERT_EQ(reports().size(), 2U);
  EXPECT_EQ(reports()[1], "access log: 4 lines dropped, Broken pipe");
}

TEST_F(AccessLogTest, BeginsANewLineAfterATornOne) {
  const auto log = open_pipe(256 * 1024);
  // More than the pipe takes: the write is cut in the middle of a line, then the reader goes.
  for (int i = 0; i < 200; ++i) log->enqueue(std::string(999, 'x') + "\n");
  pollfd readable{reader_.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&readable, 1, 10'000), 1);
  reader_.reset();
  ASSERT_TRUE(log->drain(10s));
  EXPECT_GT(log->dropped(), 0U);
  reader_ = net::UniqueFd(::open(file_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  log->enqueue("whole\n");
  EXPECT_TRUE(read_until_drained(*log).ends_with("x\nwhole\n"));
}

// Standard output is somebody else's open file: it stays blocking, and still the log never waits for it.
TEST_F(AccessLogTest, DoesNotBlockOnStandardOutputNorChangeIt) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  reader_ = net::UniqueFd(ends[0]);
  const net::UniqueFd writer(ends[1]);
  std::fflush(stdout);
  const net::UniqueFd kept(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  ASSERT_EQ(::dup2(writer.get(), STDOUT_FILENO), STDOUT_FILENO);
  auto sink = AccessLogSink::open("");
  ASSERT_EQ(::dup2(kept.get(), STDOUT_FILENO), STDOUT_FILENO);
  ASSERT_TRUE(sink.has_value());
  const auto written = sink->write_all(std::string(1'000'000, 'x'), [] { return true; });
  EXPECT_EQ(written.outcome, AccessLogSink::Outcome::kGivenUp);
  EXPECT_GT(written.bytes, 0U);
  EXPECT_EQ(::fcntl(writer.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_TRUE(sink->reopen().has_value());
}

// ---- lines

AccessLogEntry entry() {
  return {
      .time = std::chrono::system_clock::time_point(1'800'000'000s + 123ms),
      .peer = "127.0.0.1:4711",
      .method = "GET",
      .target = "/hello",
      .authority = "localhost",
      .protocol = "HTTP/2",
      .route = "/hello",
      .request_id = "id-1",
      .status = 200,
      .bytes = 6,
      .duration = 1'234'567us,
      .connection = 7,
      .number = 3,
  };
}

std::string text_line(const AccessLogEntry& e) {
  std::string line;
  append_text_line(line, e);
  return line;
}

std::string json_line(const AccessLogEntry& e) {
  std::string line;
  append_json_line(line, e);
  return line;
}

TEST(AccessLogEntry, IsOneLineOfText) {
  EXPECT_EQ(text_line(entry()),
            "127.0.0.1:4711 - - [15/Jan/2027:08:00:00.123 +0000] \"GET /hello HTTP/2\" 200 6 1.234567 ok "
            "id-1 conn=7 "
            "req=3\n");
}

TEST(AccessLogEntry, IsOneJsonObject) {
  const auto object = boost::json::parse(json_line(entry())).as_object();
  EXPECT_EQ(object.at("time").as_string(), "2027-01-15T08:00:00.123Z");
  EXPECT_EQ(object.at("target").as_string(), "/hello");
  EXPECT_EQ(object.at("status").as_int64(), 200);
  EXPECT_EQ(object.at("bytes").as_int64(), 6);
  EXPECT_DOUBLE_EQ(object.at("duration_s").as_double(), 1.234567);
  EXPECT_TRUE(object.at("complete").as_bool());
  EXPECT_EQ(object.at("request_id").as_string(), "id-1");
  EXPECT_EQ(object.at("connection").as_int64(), 7);
  EXPECT_EQ(object.at("request").as_int64(), 3);
}

TEST(AccessLogEntry, SaysWhenTheClientWentAway) {
  AccessLogEntry e = entry();
  e.complete = false;
  e.status = 0;
  EXPECT_NE(text_line(e).find("\" 000 6 1.234567 gone id-1"), std::string::npos);
  EXPECT_FALSE(boost::json::parse(json_line(e)).at("complete").as_bool());
}

// Whatever bytes a client sends, the line is one line and parses.
TEST(AccessLogEntry, CannotBeForged) {
  for (int byte = 0; byte < 256; ++byte) {
    AccessLogEntry e = entry();
    const std::string target = std::string("/a\" 200 0\n") + static_cast<char>(byte) + "\\";
    e.target = target;
    e.method = target;
    const std::string text = text_line(e);
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    EXPECT_TRUE(
        std::ranges::all_of(text.substr(0, text.size() - 1), [](char c) { return c >= 0x20 && c < 0x7f; }));
    const std::string json = json_line(e);
    EXPECT_EQ(json.find('\n'), json.size() - 1);
    boost::json::error_code error;
    const auto value = boost::json::parse(json, error);
    ASSERT_FALSE(error) << byte;
    if (byte < 0x80) {
      EXPECT_EQ(value.at("target").as_string(), target);
    }
  }
}

TEST(JsonStrings, ReplaceWhatIsNotUtf8) {
  const auto json = [](std::string_view text) {
    std::string to;
    append_json_string(to, text);
    return to;
  };
  EXPECT_EQ(json("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(json("a\xff z"), "\"a" + replacement + " z\"");
  EXPECT_EQ(json("\xc0\xaf"), "\"" + replacement + replacement + "\"");                    // overlong
  EXPECT_EQ(json("\xed\xa0\x80"), "\"" + replacement + replacement + replacement + "\"");  // surrogate
  EXPECT_EQ(json("\xf4\x90\x80\x80").size(), 2 + 4 * replacement.size());                  // beyond U+10FFFF
  EXPECT_EQ(json("\xe2\x82"), "\"" + replacement + "\"");                                  // cut off
  EXPECT_EQ(json("\xe2\x82x"), "\"" + replacement + "x\"");
  EXPECT_EQ(json("\xc2\x9b\x7f\x01\n\""), "\"\\u009b\\u007f\\u0001\\n\\\"\"");
}

// ---- the middleware

class LoggedTest : public AccessLogTest {
 protected:
  http::Handler logged(http::Handler handler) {
    const std::vector<http::Middleware> chain = {access_log_middleware(*log_)};
    return compose(chain, std::move(handler));
  }
  void SetUp() override {
    AccessLogTest::SetUp();
    log_ = open(AccessLogFormat::kJson);
  }
  std::vector<boost::json::object> lines() {
    EXPECT_TRUE(log_->drain(10s));
    std::vector<boost::json::object> objects;
    std::istringstream text(read_file(file_));
    for (std::string line; std::getline(text, line);) objects.push_back(boost::json::parse(line).as_object());
    return objects;
  }
  std::unique_ptr<AccessLog> log_;
};

TEST_F(LoggedTest, WritesOneLinePerExchange) {
  HandlerRig rig(logged([](http::Request&, http::Responder& response) -> Task<> {
    response.status(201);
    co_await response.send("text/plain", "hello\n");
  }));
  rig.ask("GET", "/a?b=1");
  rig.ask("HEAD", "/c");
  const auto all = lines();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].at("target").as_string(), "/a?b=1");
  EXPECT_EQ(all[0].at("status").as_int64(), 201);
  EXPECT_EQ(all[0].at("bytes").as_int64(), 6);
  EXPECT_EQ(all[0].at("peer").as_string(), "127.0.0.1:40312");
  EXPECT_EQ(all[0].at("connection").as_int64(), 7);
  EXPECT_EQ(all[0].at("time").as_string(), "2027-01-15T08:00:00.000Z");
  EXPECT_EQ(all[1].at("bytes").as_int64(), 0);
  EXPECT_EQ(all[1].at("request").as_int64(), 2);
}

TEST_F(LoggedTest, WaitsForTheHandlerAndForTheBody) {
  class Zeros final : public http::BodySource {
   public:
    std::size_t read(std::span<char> room) override {
      std::ranges::fill(room, '0');
      left_ -= room.size();
      return room.size();
    }
    std::uint64_t left() const override { return left_; }

   private:
    std::uint64_t left_ = 1'000'000;
  };
  HandlerRig rig(logged([](http::Request&, http::Responder& response) -> Task<> {
    co_await response.sleep(2s);
    response.send_source(std::make_unique<Zeros>());
  }));
  rig.hold();
  rig.start("GET", "/");
  rig.advance(2s);
  rig.take(300'000);
  EXPECT_TRUE(lines().empty());
  rig.driver.time.advance(1s);
  rig.release();
  const auto all = lines();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].at("bytes").as_int64(), 1'000'000);
  EXPECT_DOUBLE_EQ(all[0].at("duration_s").as_double(), 3.0);
  EXPECT_TRUE(all[0].at("complete").as_bool());
}

TEST_F(LoggedTest, TellsAnAbortedAnswerFromACompleteOne) {
  HandlerRig rig(logged([](http::Request&, http::Responder& response) -> Task<> {
    response.start();
    co_await response.write("half");
    co_await response.sleep(1h);
  }));
  rig.start("GET", "/");
  rig.vanish();
  const auto all = lines();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].at("complete").as_bool());
  EXPECT_EQ(all[0].at("bytes").as_int64(), 4);
}

TEST_F(LoggedTest, SaysNoStatusWhenNoHeadWasSent) {
  HandlerRig rig(
      logged([](http::Request&, http::Responder& response) -> Task<> { co_await response.until_gone(); }));
  rig.start("GET", "/");
  rig.vanish();
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0].at("status").as_int64(), 0);
}

TEST_F(LoggedTest, EndsWhatTheHandlerLeftOpenSoThatTheLineIsTrue) {
  HandlerRig rig(logged([](http::Request&, http::Responder&) -> Task<> { co_return; }));
  EXPECT_EQ(rig.ask("GET", "/").status, 200U);
  EXPECT_EQ(rig.answer().content_length, 0U);
  EXPECT_TRUE(rig.answer().ended);
  EXPECT_EQ(lines()[0].at("status").as_int64(), 200);
}

}  // namespace

// A broken pipe is an error of the write, not the end of the test.
static const auto kPipesMayBreak = std::signal(SIGPIPE, SIG_IGN);

}  // namespace h2park::handlers
