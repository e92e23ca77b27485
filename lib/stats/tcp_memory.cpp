#include "stats/tcp_memory.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

namespace h2park::stats {
namespace {

using Each = std::function<void(const TcpSocketMemory&)>;

// The kernel fills what it is offered, up to 32 KiB for a dump (netlink(7)).
constexpr std::size_t kDatagramBytes = 64 * 1024;

/// A netlink socket for sock_diag.
class DiagSocket {
 public:
  DiagSocket() : fd_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {}
  ~DiagSocket() {
    if (fd_ >= 0) ::close(fd_);
  }
  DiagSocket(const DiagSocket&) = delete;
  DiagSocket& operator=(const DiagSocket&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

struct DumpRequest {
  nlmsghdr head;
  inet_diag_req_v2 body;
};

Result<> ask(int fd, std::uint8_t family) {
  DumpRequest request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.sdiag_family = family;
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~0U;
  request.body.idiag_ext = 1U << (INET_DIAG_SKMEMINFO - 1);
  if (::send(fd, &request, sizeof request, 0) < 0) return system_failure("sock_diag", errno);
  return {};
}

/// A struct from the front of `bytes`, which may be unaligned; nullopt if they are too few.
template <class T>
std::optional<T> peek(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

std::span<const std::byte> skip(std::span<const std::byte> bytes, std::size_t count) {
  return bytes.subspan(std::min(count, bytes.size()));
}

/// The attributes behind the message's body.
void add_memory(std::span<const std::byte> attributes, TcpSocketMemory& socket) {
  while (const auto head = peek<nlattr>(attributes)) {
    if (head->nla_len < sizeof(nlattr) || head->nla_len > attributes.size()) return;
    const auto value = attributes.subspan(sizeof(nlattr), head->nla_len - sizeof(nlattr));
    if (head->nla_type == INET_DIAG_SKMEMINFO) {
      std::array<std::uint32_t, SK_MEMINFO_VARS> info{};
      std::memcpy(info.data(), value.data(), std::min(value.size(), sizeof info));
      // As socket_queued_bytes(): for TCP the larger one is always WMEM_QUEUED.
      socket.queued = std::uint64_t{info[SK_MEMINFO_RMEM_ALLOC]} + info[SK_MEMINFO_WMEM_QUEUED];
      socket.reserved = std::uint64_t{info[SK_MEMINFO_FWD_ALLOC]} + info[SK_MEMINFO_OPTMEM];
    }
    attributes = skip(attributes, NLA_ALIGN(head->nla_len));
  }
}

Result<> read_answer(int fd, const Each& each) {
  std::vector<std::byte> datagram(kDatagramBytes);
  for (;;) {
    const ssize_t n = ::recv(fd, datagram.data(), datagram.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_failure("sock_diag", errno);
    if (n == 0) return fail("sock_diag: the kernel hung up");
    const Result<bool> done = parse_tcp_sockets(std::span(datagram).first(static_cast<std::size_t>(n)), each);
    if (!done) return std::unexpected(done.error());
    if (*done) return {};
  }
}

}  // namespace

Result<bool> parse_tcp_sockets(std::span<const std::byte> datagram, const Each& each) {
  while (const auto head = peek<nlmsghdr>(datagram)) {
    if (head->nlmsg_len < sizeof(nlmsghdr) || head->nlmsg_len > datagram.size()) {
      return fail("sock_diag: an answer is cut short");
    }
    const auto body = datagram.subspan(sizeof(nlmsghdr), head->nlmsg_len - sizeof(nlmsghdr));
    if (head->nlmsg_type == NLMSG_DONE) return true;
    if (head->nlmsg_type == NLMSG_ERROR) {
      const auto error = peek<nlmsgerr>(body);
      return system_failure("sock_diag", error ? -error->error : EIO);
    }
    if (head->nlmsg_type == SOCK_DIAG_BY_FAMILY) {
      const auto message = peek<inet_diag_msg>(body);
      if (!message) return fail("sock_diag: an answer is cut short");
      TcpSocketMemory socket{.inode = message->idiag_inode};
      add_memory(skip(body, NLMSG_ALIGN(sizeof(inet_diag_msg))), socket);
      // Without an inode no process holds it: TIME-WAIT, or not accepted yet.
      if (socket.inode != 0) each(socket);
    }
    datagram = skip(datagram, NLMSG_ALIGN(head->nlmsg_len));
  }
  return false;
}

Result<> for_each_tcp_socket(const Each& each) {
  for (const std::uint8_t family : {AF_INET, AF_INET6}) {
    const DiagSocket socket;
    if (socket.get() < 0) return system_failure("sock_diag", errno);
    if (auto asked = ask(socket.get(), family); !asked) return asked;
    if (auto answered = read_answer(socket.get(), each); !answered) return answered;
  }
  return {};
}

}  // namespace h2park::stats
