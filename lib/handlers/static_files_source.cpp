#include "handlers/static_files_source.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace h2park::handlers {

std::size_t FileSource::read(std::span<char> room) {
  const std::size_t wanted = std::min<std::uint64_t>(room.size(), left_);
  ssize_t bytes = 0;
  do {
    bytes = ::pread(file_.get(), room.data(), wanted, static_cast<off_t>(offset_));
  } while (bytes < 0 && errno == EINTR);
  if (bytes <= 0) return 0;
  offset_ += static_cast<std::uint64_t>(bytes);
  left_ -= static_cast<std::uint64_t>(bytes);
  return static_cast<std::size_t>(bytes);
}

}  // namespace h2park::handlers
