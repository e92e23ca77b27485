#include "tls/ssl_pipe.hpp"

#include "tls/openssl.hpp"
#include "tls/slot_routing.hpp"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace h2park::tls {

using net::IoResult;
using net::IoStatus;

namespace {
constexpr std::size_t kMaxRecord = SSL3_RT_MAX_PLAIN_LENGTH;  // RFC 8446 5.1: 2^14
}

SslPipe::SslPipe(ssl_ctx_st* context, net::UniqueFd socket, Side side) : socket_(std::move(socket)) {
  const ConnectionAllocations here(this);
  SslPtr ssl(SSL_new(context));
  if (!ssl || SSL_set_fd(ssl.get(), socket_.get()) != 1) {
    ERR_clear_error();
    throw std::bad_alloc();
  }
  side == Side::kServer ? SSL_set_accept_state(ssl.get()) : SSL_set_connect_state(ssl.get());
  ssl_ = ssl.release();
}

SslPipe::~SslPipe() { SSL_free(ssl_); }

// The error queue and errno belong to the thread and may hold what other connections left: they are emptied
// before each call, as SSL_get_error(3) asks.
IoStatus SslPipe::handshake() {
  if (dead_) return IoStatus::kError;
  const ConnectionAllocations here(this);
  ERR_clear_error();
  errno = 0;
  const int result = SSL_do_handshake(ssl_);
  return result == 1 ? IoStatus::kOk : status_after(result);
}

IoResult SslPipe::read(std::span<std::byte> room) {
  if (dead_) return {0, IoStatus::kError};
  const ConnectionAllocations here(this);
  ERR_clear_error();
  errno = 0;
  std::size_t bytes = 0;
  const int result = SSL_read_ex(ssl_, room.data(), room.size(), &bytes);
  drained_ = false;
  if (result == 1) return {bytes, IoStatus::kOk};
  const IoStatus status = status_after(result);
  drained_ = status == IoStatus::kWantRead;
  return {0, status};
}

// One record per call of the library, and a record that the socket took in part again with just its own
// length: given more, the library goes on with the next record, and when that blocks it says nothing of the
// one that went.
IoResult SslPipe::write(std::span<const std::byte> bytes) {
  if (dead_) return {0, IoStatus::kError};
  const ConnectionAllocations here(this);
  std::size_t written = 0;
  while (written < bytes.size()) {
    const auto rest = bytes.subspan(written);
    const std::size_t record = std::min<std::size_t>(rest.size(), blocked_ > 0 ? blocked_ : kMaxRecord);
    ERR_clear_error();
    errno = 0;
    std::size_t taken = 0;
    const int result = SSL_write_ex(ssl_, rest.data(), record, &taken);
    if (result != 1) {
      const IoStatus status = status_after(result);
      blocked_ = static_cast<std::uint16_t>(record);
      // What was taken is reported first; the next call meets the reason again.
      return written > 0 ? IoResult{written, IoStatus::kOk} : IoResult{0, status};
    }
    blocked_ = 0;
    written += taken;
  }
  return {written, IoStatus::kOk};
}

/// The one place that maps the library's answers.
IoStatus SslPipe::status_after(int result) {
  const int system_error = errno;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return IoStatus::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return IoStatus::kWantWrite;
    case SSL_ERROR_ZERO_RETURN:
      // The socket's own end is only read when no close_notify came before it.
      truncated_ = BIO_eof(SSL_get_rbio(ssl_)) == 1;
      return IoStatus::kEof;
    case SSL_ERROR_SYSCALL:
      system_error_ = system_error;
      tls_error_ = 0;
      break;
    default:
      system_error_ = 0;
      tls_error_ = take_cause();
  }
  ERR_clear_error();
  dead_ = true;
  return IoStatus::kError;
}

bool SslPipe::has_pending() const { return !drained_ && SSL_has_pending(ssl_) == 1; }

void SslPipe::shutdown_write() {
  // During the handshake there is nobody yet to say goodbye to; after an error the library has sent its
  // alert.
  if (!dead_ && SSL_is_init_finished(ssl_) == 1) {
    const ConnectionAllocations here(this);
    SSL_shutdown(ssl_);
    ERR_clear_error();
  }
  ::shutdown(socket_.get(), SHUT_WR);
}

std::string_view SslPipe::alpn() const {
  const unsigned char* name = nullptr;
  unsigned int length = 0;
  SSL_get0_alpn_selected(ssl_, &name, &length);
  return {reinterpret_cast<const char*>(name), length};
}

std::string_view SslPipe::error_text() const {
  if (!dead_) return {};
  if (tls_error_ != 0) return reason_text(tls_error_);
  const char* text = system_error_ == 0 ? nullptr : ::strerrordesc_np(system_error_);
  return text == nullptr ? std::string_view("the connection broke off") : std::string_view(text);
}

}  // namespace h2park::tls
