// Routes about bodies: /hello, /bytes/{n}, /stream/{n}, /echo, /upload.

#include "base/frame_memory.hpp"
#include "handlers/route_answers.hpp"
#include "handlers/route_parameters.hpp"
#include "handlers/routes_builtin.hpp"
#include "http/body_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <string>

namespace h2park::handlers {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;  // 1 TiB: a day at 100 Mbit/s
constexpr std::uint64_t kMaxChunks = 1'000'000;

// Lines of 64 characters; one block for the process.
constexpr std::size_t kPatternBytes = 16 * 1024;
const std::array<char, kPatternBytes>& pattern() {
  static const auto block = [] {
    std::array<char, kPatternBytes> text;
    for (std::size_t i = 0; i < text.size(); ++i) {
      text[i] = i % 64 == 63 ? '\n' : "abcdefghijklmnopqrstuvwxyz"[i % 64 % 26];
    }
    return text;
  }();
  return block;
}

// A body of that many bytes that owns none of them.
class PatternSource final : public http::BodySource {
 public:
  explicit PatternSource(std::uint64_t size) : size_(size) {}
  // With the frames, in the connection's own memory.
  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* memory) noexcept { free_frame(memory); }

  std::size_t read(std::span<char> room) override {
    const std::size_t wanted = std::min<std::uint64_t>(room.size(), left());
    for (std::size_t done = 0; done < wanted;) {
      const std::size_t at = (offset_ + done) % kPatternBytes;
      const std::size_t bytes = std::min(wanted - done, kPatternBytes - at);
      std::memcpy(room.data() + done, pattern().data() + at, bytes);
      done += bytes;
    }
    offset_ += wanted;
    return wanted;
  }
  std::uint64_t left() const override { return size_ - offset_; }

 private:
  const std::uint64_t size_;
  std::uint64_t offset_ = 0;
};

Task<> send_bytes(http::Responder& response, std::uint64_t size) {
  response.fields().set("content-type", "application/octet-stream");
  if (size == 0) {
    response.content_length(0);
    response.end();
  } else {
    response.send_source(std::make_unique<PatternSource>(size));
  }
  co_return;
}

Task<> send_chunks(http::Responder& response, std::uint64_t chunks) {
  response.fields().set("content-type", "text/plain; charset=utf-8");
  response.start();
  for (std::uint64_t i = 1; i <= chunks && !response.exchange().bodiless(); ++i) {
    char text[32] = "chunk ";
    char* end = std::to_chars(text + 6, std::end(text) - 1, i).ptr;
    *end++ = '\n';
    const bool written = co_await response.write({text, static_cast<std::size_t>(end - text)});
    if (!written) co_return;
    const bool flushed = co_await response.flush();
    if (!flushed) co_return;
  }
  response.end();
}

Task<> too_large(http::Responder& response, std::uint64_t limit) {
  return answer_line(response, 413, "the body is larger than " + std::to_string(limit) + " bytes");
}

bool announces_too_much(const http::Request& request, std::uint64_t limit) {
  const auto length = request.head().content_length;
  return length && *length > limit;
}

Task<> echo(http::Request& request, http::Responder& response, std::uint64_t limit) {
  if (announces_too_much(request, limit)) co_return co_await too_large(response, limit);
  // The first piece is awaited before the head is sent: so `Expect: 100-continue` is answered with 100 first.
  http::Read piece = co_await request.read();
  if (!piece) co_return;
  if (piece->size() > limit) co_return co_await too_large(response, limit);
  const auto type = request.fields().find("content-type");
  response.fields().set("content-type", type.value_or("application/octet-stream"));
  if (const auto length = request.head().content_length) response.content_length(*length);
  response.start();
  for (std::uint64_t total = piece->size(); !piece->empty();) {
    const bool written = co_await response.write(*piece);
    if (!written) co_return;
    piece = co_await request.read();
    if (!piece) co_return response.reset(http::ResetReason::kCancel);
    total += piece->size();
    if (total > limit) co_return response.reset(http::ResetReason::kCancel);
  }
  response.end();
}

Task<> upload(http::Request& request, http::Responder& response, std::uint64_t limit) {
  if (announces_too_much(request, limit)) co_return co_await too_large(response, limit);
  std::uint64_t total = 0;
  while (true) {
    const http::Read piece = co_await request.read();
    if (!piece) co_return;
    if (piece->empty()) break;
    total += piece->size();
    if (total > limit) co_return co_await too_large(response, limit);
  }
  const std::string body = "{\"bytes\":" + std::to_string(total) + "}\n";
  co_await response.send("application/json", body);
}

}  // namespace

Task<> handle_hello(http::Request&, http::Responder& response) {
  co_await response.send("text/plain; charset=utf-8", "hello\n");
}

Task<> handle_bytes(http::Request& request, http::Responder& response) {
  const auto size = size_parameter(request, From::kPath, "n", 0, kMaxBytes);
  if (!size) return answer_line(response, 400, size.error().message);
  return send_bytes(response, *size);
}

Task<> handle_stream(http::Request& request, http::Responder& response) {
  const auto chunks = count_parameter(request, From::kPath, "n", 0, kMaxChunks);
  if (!chunks) return answer_line(response, 400, chunks.error().message);
  return send_chunks(response, *chunks);
}

http::Handler make_echo(std::uint64_t max_body_bytes) {
  return [max_body_bytes](http::Request& request, http::Responder& response) {
    return echo(request, response, max_body_bytes);
  };
}

http::Handler make_upload(std::uint64_t max_body_bytes) {
  return [max_body_bytes](http::Request& request, http::Responder& response) {
    return upload(request, response, max_body_bytes);
  };
}

}  // namespace h2park::handlers
