#include "client/content_decoder.hpp"

#include <algorithm>
#include <utility>

namespace h2park::client {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Null for an unknown one.
std::unique_ptr<DecoderStage> make_stage(const std::string& coding) {
  if (coding == "gzip" || coding == "x-gzip") return make_gzip_stage();
  if (coding == "deflate") return make_deflate_stage();
  if (coding == "br") return make_brotli_stage();
  if (coding == "zstd") return make_zstd_stage();
  return nullptr;
}

// A peer's text in a message: only what a coding's name may have (RFC 9110 5.6.2, less what is rare).
std::string shown(std::string_view coding) {
  const auto odd = [](char c) {
    return c <= ' ' || c == '\'' || c == 0x7f || static_cast<unsigned char>(c) >= 0x80;
  };
  std::string text(coding.substr(0, 40));
  std::ranges::replace_if(text, odd, '?');
  return "'" + text + "'";
}

}  // namespace

Result<ContentDecoder> ContentDecoder::make(std::string_view content_encoding) {
  ContentDecoder decoder;
  while (!content_encoding.empty()) {
    const std::string_view item = content_encoding.substr(0, content_encoding.find(','));
    content_encoding.remove_prefix(std::min(item.size() + 1, content_encoding.size()));
    const std::string coding = lowered(trimmed(item));
    if (coding.empty() || coding == "identity") continue;
    auto stage = make_stage(coding);
    if (!stage) {
      return h2park::fail("Unknown Content-Encoding " + shown(coding) + "; known are " +
                          std::string(kAcceptEncoding));
    }
    decoder.stages_.insert(decoder.stages_.begin(), std::move(stage));
    if (decoder.stages_.size() > kMaxCodings) {
      return h2park::fail("Content-Encoding has more than " + std::to_string(kMaxCodings) + " codings");
    }
  }
  return decoder;
}

Result<> ContentDecoder::write(std::string_view bytes, const Sink& sink) {
  if (error_) return std::unexpected(*error_);
  const auto written = write_to(0, bytes, sink);
  if (!written && !error_) error_ = Error{"Broken body: " + written.error().message};
  if (error_) return std::unexpected(*error_);
  return {};
}

// A stage hands over its pieces from inside its call, where an error of a later one can't be returned.
Result<> ContentDecoder::write_to(std::size_t stage, std::string_view bytes, const Sink& sink) {
  if (stage == stages_.size()) {
    if (!bytes.empty()) sink(bytes);
    return {};
  }
  return stages_[stage]->write(bytes, [&](std::string_view piece) {
    if (error_) return;
    const auto written = write_to(stage + 1, piece, sink);
    if (!written && !error_) error_ = Error{"Broken body: " + written.error().message};
  });
}

Result<> ContentDecoder::finish() {
  if (error_) return std::unexpected(*error_);
  for (const auto& stage : stages_) {
    if (stage->is_complete()) continue;
    error_ = Error{"Broken body: " + std::string(stage->name()) + ": ends too early"};
    return std::unexpected(*error_);
  }
  return {};
}

}  // namespace h2park::client
