#include "net/listen_socket.hpp"

#include "net/listen_tcp.hpp"
#include "net/listen_unix.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace h2park::net {
namespace {

AcceptStatus status_of(int error_number) {
  switch (error_number) {
    case EAGAIN:
      return AcceptStatus::kNone;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return AcceptStatus::kOutOfDescriptors;
    case EBADF:
    case EFAULT:
    case EINVAL:
    case ENOTSOCK:
      return AcceptStatus::kBroken;
    default:
      // ECONNABORTED, EPERM (a firewall's rule), and the network errors of the new connection that Linux
      // reports here (accept(2)).
      return AcceptStatus::kAborted;
  }
}

}  // namespace

ListenSocket::ListenSocket(UniqueFd socket, std::string text, unsigned share, std::optional<SocketFile> file)
    : socket_(std::move(socket)), text_(std::move(text)), file_(std::move(file)), share_(share) {
  unix_ = text_.starts_with("unix");
}

ListenSocket& ListenSocket::operator=(ListenSocket&& other) noexcept {
  if (this == &other) return *this;
  close();
  socket_ = std::move(other.socket_);
  text_ = std::move(other.text_);
  file_ = std::exchange(other.file_, std::nullopt);
  share_ = other.share_;
  unix_ = other.unix_;
  return *this;
}

Accepted ListenSocket::accept() {
  int fd = -1;
  do {
    fd = ::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return {.status = status_of(errno), .socket = {}, .error = errno};
  if (!unix_) {
    // Answers are written whole, so waiting for more bytes (Nagle) only costs time. A failure costs no more.
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return {.status = AcceptStatus::kConnection, .socket = UniqueFd(fd), .error = 0};
}

void ListenSocket::close() {
  if (!socket_) return;
  if (file_) {
    struct stat now {};
    if (::lstat(file_->path.c_str(), &now) == 0 && now.st_dev == file_->device &&
        now.st_ino == file_->inode) {
      ::unlink(file_->path.c_str());
    }
    file_.reset();
  }
  socket_.reset();
}

Result<std::vector<ListenSocket>> listen_on(const Endpoint& endpoint, unsigned shares,
                                            const ListenOptions& options) {
  auto opened = endpoint.is_unix() ? listen_unix(endpoint, options) : listen_tcp(endpoint, shares);
  if (!opened) return fail("cannot listen on " + endpoint.text() + ": " + opened.error().message);
  return opened;
}

}  // namespace h2park::net
