#include "net/plain_transport.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace h2park::net {

IoResult PlainTransport::read(std::span<std::byte> room) {
  ssize_t n = 0;
  do {
    n = ::recv(socket_.get(), room.data(), room.size(), 0);
  } while (n < 0 && errno == EINTR);
  if (n > 0) return {static_cast<std::size_t>(n), IoStatus::kOk};
  if (n == 0) return {0, IoStatus::kEof};
  return failed(IoStatus::kWantRead);
}

IoResult PlainTransport::write(std::span<const std::byte> bytes) {
  ssize_t n = 0;
  do {
    n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  if (n >= 0) return {static_cast<std::size_t>(n), IoStatus::kOk};
  return failed(IoStatus::kWantWrite);
}

IoResult PlainTransport::failed(IoStatus when_blocked) {
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {0, when_blocked};
  error_ = errno;
  return {0, IoStatus::kError};
}

void PlainTransport::shutdown_write() { ::shutdown(socket_.get(), SHUT_WR); }

std::string_view PlainTransport::error_text() const {
  // strerrordesc_np() answers with a constant: nothing is allocated, nothing is shared between threads.
  const char* text = error_ == 0 ? nullptr : ::strerrordesc_np(error_);
  return text == nullptr ? std::string_view{} : std::string_view(text);
}

}  // namespace h2park::net
