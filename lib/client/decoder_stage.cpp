#include "client/decoder_stage.hpp"

#include <algorithm>
#include <utility>

namespace h2park::client {

Result<> DecoderStage::write(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty() && place_ != Place::kBehind) {
    if (place_ == Place::kBefore) place_ = Place::kInside;
    auto done = place_ == Place::kInside ? decode_inside(bytes, sink) : look_between(bytes, sink);
    if (!done) return done;
  }
  return {};
}

Result<> DecoderStage::decode_inside(std::string_view& bytes, const Sink& sink) {
  const auto ended = decode(bytes, sink);
  if (!ended) return fail(std::string(name_) + ": " + ended.error().message);
  if (*ended) place_ = magic_bytes() == 0 ? Place::kBehind : Place::kBetween;
  return {};
}

Result<> DecoderStage::look_between(std::string_view& bytes, const Sink& sink) {
  const std::size_t taken = std::min(magic_bytes() - magic_.size(), bytes.size());
  magic_.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  if (magic_.size() < magic_bytes()) return {};
  if (!is_magic(magic_)) {
    place_ = Place::kBehind;
    return {};
  }
  restart();
  place_ = Place::kInside;
  const std::string magic = std::exchange(magic_, {});
  std::string_view first = magic;
  return decode_inside(first, sink);
}

}  // namespace h2park::client
