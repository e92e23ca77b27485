// gzip and deflate, by zlib.
#include "client/decoder_stage.hpp"

#include <zlib.h>

#include <new>
#include <span>

namespace h2park::client {
namespace {

// What inflateInit2() takes: the largest window, and which header stands before the data.
constexpr int kZlib = MAX_WBITS;
constexpr int kGzip = MAX_WBITS + 16;
constexpr int kRaw = -MAX_WBITS;

class Inflater {
 public:
  explicit Inflater(int format) {
    if (inflateInit2(&stream_, format) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void restart() { inflateReset(&stream_); }
  void restart(int format) { inflateReset2(&stream_, format); }

  Result<bool> decode(std::string_view& bytes, std::span<char> room, const DecoderStage::Sink& sink) {
    stream_.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    int result = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = static_cast<uInt>(room.size());
      result = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t made = room.size() - stream_.avail_out;
      if (made > 0) sink({room.data(), made});
      // Z_BUF_ERROR: the last piece was just full, and there was no more.
    } while (result == Z_OK && (stream_.avail_in > 0 || stream_.avail_out == 0));
    bytes.remove_prefix(bytes.size() - stream_.avail_in);
    if (result == Z_STREAM_END) return true;
    if (result == Z_OK || result == Z_BUF_ERROR) return false;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_NEED_DICT) return fail("needs a dictionary");
    return fail(stream_.msg != nullptr ? stream_.msg : "broken data");
  }

 private:
  z_stream stream_{};
};

class GzipStage final : public DecoderStage {
 public:
  GzipStage() : DecoderStage("gzip") {}

 private:
  Result<bool> decode(std::string_view& bytes, const Sink& sink) override {
    return inflater_.decode(bytes, buffer(), sink);
  }
  std::size_t magic_bytes() const override { return 2; }
  bool is_magic(std::string_view bytes) const override { return bytes == "\x1f\x8b"; }
  void restart() override { inflater_.restart(); }

  Inflater inflater_{kGzip};
};

class DeflateStage final : public DecoderStage {
 public:
  DeflateStage() : DecoderStage("deflate") {}

 private:
  Result<bool> decode(std::string_view& bytes, const Sink& sink) override {
    if (first_) {
      first_ = false;
      // RFC 1950: method 8, window up to 7. Bare data begins so only with padding that nobody writes.
      const auto byte = static_cast<unsigned char>(bytes.front());
      if ((byte & 0x0f) != 8 || byte >> 4 > 7) inflater_.restart(kRaw);
    }
    return inflater_.decode(bytes, buffer(), sink);
  }

  Inflater inflater_{kZlib};
  bool first_ = true;
};

}  // namespace

std::unique_ptr<DecoderStage> make_gzip_stage() { return std::make_unique<GzipStage>(); }
std::unique_ptr<DecoderStage> make_deflate_stage() { return std::make_unique<DeflateStage>(); }

}  // namespace h2park::client
