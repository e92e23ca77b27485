// delay_relay DELAY_MS PORT: passes TCP connections on to 127.0.0.1:PORT, every byte DELAY_MS later each way.
//
// Stands in for a server that is a network away. The first bytes of a connection wait a round trip more: that
// is what TCP's own handshake would have taken, which the kernels on both sides of the relay do at once.
// Prints the port it listens on, and ends when its standard input does.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <string>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// Each connection's state is one of these per direction.
struct Pipe {
  struct Piece {
    Clock::time_point due;
    std::string bytes;  // empty: the end
  };
  int from = -1;
  int to = -1;
  std::deque<Piece> pieces;
  bool ended = false;           // nothing more comes
  Clock::duration handshake{};  // what the first bytes wait more
  bool closed = false;          // the end was passed on

  /// False: the connection is broken.
  bool read(Clock::duration delay) {
    char room[65536];
    const ssize_t got = ::read(from, room, sizeof(room));
    if (got < 0) return errno == EAGAIN;
    pieces.push_back({Clock::now() + delay + std::exchange(handshake, {}),
                      std::string(room, static_cast<std::size_t>(got))});
    ended = got == 0;
    return true;
  }

  bool pass_on(Clock::time_point now) {
    while (!pieces.empty() && pieces.front().due <= now) {
      Piece& piece = pieces.front();
      if (piece.bytes.empty()) {
        ::shutdown(to, SHUT_WR);
        closed = true;
      } else {
        const ssize_t sent = ::send(to, piece.bytes.data(), piece.bytes.size(), MSG_NOSIGNAL);
        if (sent < 0) return errno == EAGAIN;
        piece.bytes.erase(0, static_cast<std::size_t>(sent));
        if (!piece.bytes.empty()) return true;
      }
      pieces.pop_front();
    }
    return true;
  }
};

struct Connection {
  Pipe up;
  Pipe down;
};

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

void prepare(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::fcntl(socket, F_SETFL, O_NONBLOCK);
}

int listen_anywhere() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket, 128) != 0)
    std::exit(1);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return socket;
}

void take_on(std::list<Connection>& connections, int listener, int port, Clock::duration delay) {
  const int client = ::accept(listener, nullptr, nullptr);
  const int server = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(port);
  if (client < 0 || ::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(client);
    ::close(server);
    return;
  }
  prepare(client);
  prepare(server);
  Connection& connection = connections.emplace_back();
  connection.up.from = connection.down.to = client;
  connection.up.to = connection.down.from = server;
  connection.up.handshake = 2 * delay;
}

/// False: it is over.
bool serve(Connection& connection, const pollfd* polled, Clock::duration delay) {
  Pipe* pipes[] = {&connection.up, &connection.down};
  for (int i = 0; i < 2; ++i) {
    if (polled != nullptr && (polled[i].revents & ~POLLOUT) != 0 && !pipes[i]->ended &&
        !pipes[i]->read(delay))
      return false;
    if (!pipes[i]->pass_on(Clock::now())) return false;
  }
  return !(connection.up.closed && connection.down.closed);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto delay = std::chrono::microseconds(static_cast<long>(std::atof(argv[1]) * 1000));
  const int port = std::atoi(argv[2]);
  const int listener = listen_anywhere();
  std::list<Connection> connections;
  for (;;) {
    std::vector<pollfd> polled{{STDIN_FILENO, POLLIN, 0}, {listener, POLLIN, 0}};
    Clock::time_point next = Clock::time_point::max();
    for (const Connection& each : connections) {
      for (const Pipe* pipe : {&each.up, &each.down}) {
        polled.push_back({pipe->ended ? -1 : pipe->from, POLLIN, 0});
        if (!pipe->pieces.empty()) next = std::min(next, pipe->pieces.front().due);
      }
    }
    timespec wait{};
    const auto left = std::max(next - Clock::now(), Clock::duration::zero());
    wait.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
    wait.tv_nsec = (left % std::chrono::seconds(1)).count();
    if (::ppoll(polled.data(), polled.size(), next == Clock::time_point::max() ? nullptr : &wait, nullptr) <
        0)
      return 1;
    if (polled[0].revents != 0) return 0;
    const pollfd* at = polled.data() + 2;
    for (auto each = connections.begin(); each != connections.end(); at += 2) {
      if (serve(*each, at, delay)) {
        ++each;
        continue;
      }
      ::close(each->up.from);
      ::close(each->up.to);
      each = connections.erase(each);
    }
    if (polled[1].revents != 0) take_on(connections, listener, port, delay);
  }
}
