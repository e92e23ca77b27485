// br, by Google's library.
#include "client/decoder_stage.hpp"

#include <brotli/decode.h>

#include <new>

namespace h2park::client {
namespace {

struct DestroyDecoder {
  void operator()(BrotliDecoderState* decoder) const { BrotliDecoderDestroyInstance(decoder); }
};

class BrotliStage final : public DecoderStage {
 public:
  BrotliStage() : DecoderStage("br"), decoder_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {
    if (!decoder_) throw std::bad_alloc();
  }

 private:
  Result<bool> decode(std::string_view& bytes, const Sink& sink) override {
    auto* in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t left = bytes.size();
    BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
    while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
      auto* out = reinterpret_cast<std::uint8_t*>(buffer().data());
      std::size_t room = buffer().size();
      result = BrotliDecoderDecompressStream(decoder_.get(), &left, &in, &room, &out, nullptr);
      const std::size_t made = buffer().size() - room;
      if (made > 0) sink({buffer().data(), made});
    }
    bytes.remove_prefix(bytes.size() - left);
    if (result == BROTLI_DECODER_RESULT_ERROR) {
      return fail(BrotliDecoderErrorString(BrotliDecoderGetErrorCode(decoder_.get())));
    }
    return result == BROTLI_DECODER_RESULT_SUCCESS;
  }

  std::unique_ptr<BrotliDecoderState, DestroyDecoder> decoder_;
};

}  // namespace

std::unique_ptr<DecoderStage> make_brotli_stage() { return std::make_unique<BrotliStage>(); }

}  // namespace h2park::client
