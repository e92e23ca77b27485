// A part of a file as a response body.
#pragma once

#include "base/frame_memory.hpp"
#include "http/body_source.hpp"
#include "net/unique_fd.hpp"

#include <cstdint>

namespace h2park::handlers {

/// Owns the descriptor and no buffer: bytes go from the page cache into the room given.
/// A file that has become shorter than promised reads as 0: the exchange is then reset.
class FileSource final : public http::BodySource {
 public:
  FileSource(net::UniqueFd file, std::uint64_t offset, std::uint64_t bytes)
      : file_(std::move(file)), offset_(offset), left_(bytes) {}
  // With the frames, in the connection's own memory.
  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* memory) noexcept { free_frame(memory); }

  std::size_t read(std::span<char> room) override;
  std::uint64_t left() const override { return left_; }

 private:
  net::UniqueFd file_;
  std::uint64_t offset_;
  std::uint64_t left_;
};

}  // namespace h2park::handlers
