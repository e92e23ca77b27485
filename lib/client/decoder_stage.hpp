// DecoderStage: undoes one content coding; the part that all have in common.
//
//     before -> inside -> between -> behind
//                  ^_________|
//
// Between: the data has ended, and another member or frame may follow; as many bytes as that begins with are
// collected and looked at.
#pragma once

#include "base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace h2park::client {

class DecoderStage {
 public:
  using Sink = std::function<void(std::string_view)>;
  static constexpr std::size_t kPiece = 16 * 1024;

  explicit DecoderStage(std::string_view name) : name_(name) {}
  virtual ~DecoderStage() = default;
  DecoderStage(const DecoderStage&) = delete;
  DecoderStage& operator=(const DecoderStage&) = delete;

  /// Errors: "gzip: reason".
  Result<> write(std::string_view bytes, const Sink& sink);
  /// Whether nothing is missing; true also if nothing has come.
  bool is_complete() const { return place_ != Place::kInside; }
  std::string_view name() const { return name_; }

 protected:
  /// Takes bytes off the front of `bytes` until none are left or the data ends (true). Errors: the reason.
  virtual Result<bool> decode(std::string_view& bytes, const Sink& sink) = 0;
  /// How many bytes tell that another member follows; 0: none ever does.
  virtual std::size_t magic_bytes() const { return 0; }
  virtual bool is_magic(std::string_view bytes) const { return !bytes.empty(); }
  /// Makes ready for another member.
  virtual void restart() {}

  /// Room for decoded bytes.
  std::array<char, kPiece>& buffer() { return *buffer_; }

 private:
  enum class Place : std::uint8_t { kBefore, kInside, kBetween, kBehind };

  Result<> decode_inside(std::string_view& bytes, const Sink& sink);
  Result<> look_between(std::string_view& bytes, const Sink& sink);

  const std::string_view name_;  // a constant
  Place place_ = Place::kBefore;
  std::string magic_;
  const std::unique_ptr<std::array<char, kPiece>> buffer_ = std::make_unique<std::array<char, kPiece>>();
};

std::unique_ptr<DecoderStage> make_gzip_stage();
std::unique_ptr<DecoderStage> make_deflate_stage();
std::unique_ptr<DecoderStage> make_brotli_stage();
std::unique_ptr<DecoderStage> make_zstd_stage();

}  // namespace h2park::client
