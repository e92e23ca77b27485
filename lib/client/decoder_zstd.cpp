// zstd (RFC 8878).
#include "client/decoder_stage.hpp"

#include <zstd.h>

#include <new>

namespace h2park::client {
namespace {

// RFC 9659 3: no content coding needs a larger window, and no client has to give it.
constexpr int kWindowLog = 23;

struct FreeDecoder {
  void operator()(ZSTD_DCtx* decoder) const { ZSTD_freeDCtx(decoder); }
};

class ZstdStage final : public DecoderStage {
 public:
  ZstdStage() : DecoderStage("zstd"), decoder_(ZSTD_createDCtx()) {
    if (!decoder_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(decoder_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

 private:
  Result<bool> decode(std::string_view& bytes, const Sink& sink) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool ended = false;
    bool full = false;
    while (!ended && (in.pos < in.size || full)) {
      ZSTD_outBuffer out{buffer().data(), buffer().size(), 0};
      const std::size_t result = ZSTD_decompressStream(decoder_.get(), &out, &in);
      if (out.pos > 0) sink({buffer().data(), out.pos});
      if (ZSTD_isError(result) != 0) return fail(ZSTD_getErrorName(result));
      ended = result == 0;
      full = out.pos == out.size;
    }
    bytes.remove_prefix(in.pos);
    return ended;
  }
  std::size_t magic_bytes() const override { return 4; }
  bool is_magic(std::string_view bytes) const override {
    // A frame, or a skippable one (RFC 8878 3.1.1, 3.1.2).
    return bytes == "\x28\xb5\x2f\xfd" ||
           ((static_cast<unsigned char>(bytes[0]) & 0xf0) == 0x50 && bytes.substr(1) == "\x2a\x4d\x18");
  }

  std::unique_ptr<ZSTD_DCtx, FreeDecoder> decoder_;
};

}  // namespace

std::unique_ptr<DecoderStage> make_zstd_stage() { return std::make_unique<ZstdStage>(); }

}  // namespace h2park::client
