// A reader reuses its memory: 20,000 small responses on a connection cost no heap operation. Counted by
// replacing operator new, which sanitizers want for themselves; there the test is skipped.
#include "response_reading.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define H2PARK_COUNTS_NEW 0
#else
#define H2PARK_COUNTS_NEW 1
#endif

namespace {
thread_local std::size_t news = 0;
}  // namespace

#if H2PARK_COUNTS_NEW
void* operator new(std::size_t bytes) {
  ++news;
  if (void* block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  ++news;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* block = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
#endif

namespace h2park::test {
namespace {

class Ignoring final : public http1::ResponseSink {
 public:
  void on_informational(const http1::ResponseHead&) override {}
  void on_head(const http1::ResponseHead&) override {}
  void on_body(std::string_view) override {}
  void on_trailer(std::string_view, std::string_view) override {}
};

void read_once(ResponseReader& reader, std::string_view input) {
  Ignoring sink;
  reader.begin({});
  while (reader.state() != State::kComplete) input.remove_prefix(reader.take(input, kAllRoom, sink));
}

TEST(ResponseMemory, IsReusedFromResponseToResponse) {
  if (!H2PARK_COUNTS_NEW) GTEST_SKIP() << "a sanitizer has operator new";
  const std::string inputs[] = {
      "HTTP/1.1 200 A reason longer than a small string\r\nserver: h2park\r\ncontent-length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;ext=1\r\nhello\r\n0\r\nx-sum: 1\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
  };
  ResponseReader reader;
  for (const std::string& input : inputs) read_once(reader, input);
  const std::size_t before = news;
  EXPECT_GT(before, 0u) << "nothing is counted";
  for (int i = 0; i < 100; ++i) {
    for (const std::string& input : inputs) read_once(reader, input);
  }
  EXPECT_EQ(news - before, 0u);
}

}  // namespace
}  // namespace h2park::test
