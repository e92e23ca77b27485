// ListenSocket: a socket that accepts connections; and listen_on(), which opens what an endpoint asks for.
#pragma once

#include "base/error.hpp"
#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace h2park::net {

enum class AcceptStatus : std::uint8_t {
  kConnection,        ///< `socket` is a new connection
  kNone,              ///< nobody waits: try again when the descriptor is readable
  kOutOfDescriptors,  ///< EMFILE, ENFILE, ENOBUFS, ENOMEM: pause accepting, the connection stays queued
  kAborted,           ///< this one went away, or was refused by the system, before it was taken: try the next
  kBroken,            ///< the listener itself is of no more use: close it and say `error`
};

struct Accepted {
  AcceptStatus status = AcceptStatus::kNone;
  UniqueFd socket;  ///< non-blocking, close-on-exec, TCP_NODELAY on TCP; its peer: peer_address(socket.get())
  int error = 0;    ///< errno, for other statuses than kConnection
};

/// Which file a unix listener made, to remove that one and no other.
struct SocketFile {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
};

/// Thread: one at a time. Closes its descriptor when destroyed; removes the file of a unix socket that it
/// made, unless another file has taken its name.
class ListenSocket {
 public:
  ListenSocket(UniqueFd socket, std::string text, unsigned share, std::optional<SocketFile> file = {});
  ListenSocket(ListenSocket&&) noexcept = default;
  ListenSocket& operator=(ListenSocket&& other) noexcept;
  ~ListenSocket() { close(); }

  int descriptor() const { return socket_.get(); }
  /// Which of listen_on()'s shares (serving threads) the socket is for; 0 for unix sockets.
  unsigned share() const { return share_; }
  bool is_unix() const { return unix_; }
  /// The bound address with its real port: "127.0.0.1:8080", "[::]:8080", "unix:/run/h2park.sock".
  const std::string& text() const { return text_; }
  /// Takes one waiting connection. Never waits.
  Accepted accept();
  /// Idempotent. Connections still queued are reset by the kernel: accept them first.
  void close();

 private:
  UniqueFd socket_;
  std::string text_;
  std::optional<SocketFile> file_;
  unsigned share_ = 0;
  bool unix_ = false;
};

struct ListenOptions {
  /// Permissions of a unix socket's file, in force before anybody can connect. Default: what the umask
  /// leaves.
  std::optional<mode_t> unix_mode;
};

/// Opens sockets for `endpoint`, one per share and address, all listening, non-blocking and close-on-exec.
///
/// TCP: a name stands for all its addresses ("localhost" may be ::1 and 127.0.0.1: clients try either), but
/// an
///   address whose family the machine lacks is left out as long as another one works. Of each address, the
///   first socket is bound without SO_REUSEPORT, so that a port in use is an error rather than a share of
///   somebody else's connections; the option is set afterwards, and the other shares join. (A program of the
///   same user that asks for SO_REUSEPORT itself can still join; the kernel knows no way to forbid that.)
///   Port 0 is chosen by the first socket and is the same for all. An IPv6 address also takes IPv4 ("[::]").
/// Unix: one socket, whatever `shares` is; the caller deals its connections out. A stale file (nobody accepts
///   there) is replaced, a live socket or another kind of file is an error.
///
/// Requires: shares > 0. May ask DNS: for start only.
/// Errors: "cannot listen on ENDPOINT: reason". Nothing stays open then.
Result<std::vector<ListenSocket>> listen_on(const Endpoint& endpoint, unsigned shares,
                                            const ListenOptions& options = {});

}  // namespace h2park::net
