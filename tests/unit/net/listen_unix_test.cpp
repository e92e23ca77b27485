#include "net/listen_socket.hpp"
#include "test_sockets.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>

namespace h2park::net {
namespace {

class ListenUnix : public testing::Test {
 protected:
  std::vector<ListenSocket> listening(const ListenOptions& options = {}) {
    auto sockets = listen_on(endpoint_, 4, options);
    EXPECT_TRUE(sockets) << (sockets ? "" : sockets.error().message);
    return sockets ? std::move(*sockets) : std::vector<ListenSocket>{};
  }
  std::string refusal() {
    const auto sockets = listen_on(endpoint_, 1);
    return sockets ? "it listens" : sockets.error().message;
  }
  bool exists() const { return std::filesystem::exists(std::filesystem::symlink_status(path_)); }
  /// The file that a killed server leaves.
  void leave_a_stale_file() {
    const SocketAddress address = resolve(endpoint_).value().front();
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(socket.get(), address.get(), address.size), 0);
    ASSERT_EQ(::listen(socket.get(), 1), 0);
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.file("h2park.sock");
  const Endpoint endpoint_{.unix_path = path_};
};

TEST_F(ListenUnix, OpensOneSocketWhateverTheShares) {
  auto sockets = listening();
  ASSERT_EQ(sockets.size(), 1U);
  EXPECT_TRUE(sockets.front().is_unix());
  EXPECT_EQ(sockets.front().text(), "unix:" + path_);
  const UniqueFd client = connect_to("unix:" + path_);
  ASSERT_TRUE(client);
  const Accepted accepted = sockets.front().accept();
  ASSERT_EQ(accepted.status, AcceptStatus::kConnection);
  EXPECT_TRUE(::fcntl(accepted.socket.get(), F_GETFL) & O_NONBLOCK);
  EXPECT_EQ(peer_address(accepted.socket.get()), "unix");
}

TEST_F(ListenUnix, RemovesItsFileAtTheEnd) {
  {
    auto sockets = listening();
    // Moving the owner about must not count as its end.
    std::vector<ListenSocket> elsewhere;
    elsewhere.push_back(std::move(sockets.front()));
    sockets.clear();
    EXPECT_TRUE(exists());
    EXPECT_TRUE(connect_to("unix:" + path_));
  }
  EXPECT_FALSE(exists());
}

TEST_F(ListenUnix, LeavesAFileThatTookItsName) {
  auto first = listening();
  std::filesystem::remove(path_);
  const auto second = listening();
  first.clear();
  EXPECT_TRUE(exists());
  EXPECT_TRUE(connect_to("unix:" + path_));
}

TEST_F(ListenUnix, ReplacesAStaleFile) {
  leave_a_stale_file();
  ASSERT_TRUE(exists());
  const auto sockets = listening();
  EXPECT_TRUE(connect_to("unix:" + path_));
}

TEST_F(ListenUnix, RefusesTheSocketOfARunningServer) {
  const auto first = listening();
  EXPECT_EQ(refusal(), "cannot listen on unix:" + path_ + ": in use by a running server");
  EXPECT_TRUE(connect_to("unix:" + path_));
}

TEST_F(ListenUnix, RefusesTheSocketOfAServerThatIsTooBusyToAnswer) {
  const SocketAddress address = resolve(endpoint_).value().front();
  const UniqueFd busy(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(busy.get(), address.get(), address.size), 0);
  ASSERT_EQ(::listen(busy.get(), 0), 0);
  std::vector<UniqueFd> waiting;
  int error = 0;
  while (error == 0) {
    waiting.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    error = ::connect(waiting.back().get(), address.get(), address.size) == 0 ? 0 : errno;
  }
  ASSERT_EQ(error, EAGAIN);
  EXPECT_EQ(refusal(), "cannot listen on unix:" + path_ + ": in use by a running server");
}

TEST_F(ListenUnix, RefusesADatagramSocketInUse) {
  const SocketAddress address = resolve(endpoint_).value().front();
  const UniqueFd other(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(other.get(), address.get(), address.size), 0);
  EXPECT_EQ(refusal(), "cannot listen on unix:" + path_ + ": in use by a running server");
  EXPECT_TRUE(exists());
}

TEST_F(ListenUnix, RefusesToReplaceAnotherKindOfFile) {
  const std::string expected =
      "cannot listen on unix:" + path_ + ": a file that is not a socket has this name";
  std::ofstream(path_) << "precious";
  EXPECT_EQ(refusal(), expected);
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("nowhere", path_);
  EXPECT_EQ(refusal(), expected);
  EXPECT_TRUE(exists());
}

TEST_F(ListenUnix, NamesAMissingDirectory) {
  const std::string path = directory_.file("no/such.sock");
  const auto sockets = listen_on({.unix_path = path}, 1);
  ASSERT_FALSE(sockets);
  EXPECT_EQ(sockets.error().message, "cannot listen on unix:" + path + ": No such file or directory");
}

TEST_F(ListenUnix, SetsThePermissionsThatWereAskedFor) {
  const auto sockets = listening({.unix_mode = 0600});
  struct stat found {};
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0600U);
}

TEST_F(ListenUnix, LetsOneOfManyStartersReplaceAStaleFile) {
  // Each child starts on the stale file at the same moment; exactly one may win, and its file must stay the
  // live one.
  constexpr int kStarters = 8;
  for (int round = 0; round < 10; ++round) {
    leave_a_stale_file();
    int gate[2];
    int verdict[2];
    int finish[2];
    ASSERT_EQ(::pipe(gate) + ::pipe(verdict) + ::pipe(finish), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < kStarters; ++i) {
      children.push_back(::fork());
      if (children.back() != 0) continue;
      char byte = 0;
      ::close(gate[1]);
      ::close(finish[1]);
      if (::read(gate[0], &byte, 1) != 0) ::_exit(2);
      const auto sockets = listen_on(endpoint_, 1);
      byte = sockets ? 'w' : 'l';
      if (::write(verdict[1], &byte, 1) != 1) ::_exit(3);
      ::_exit(::read(finish[0], &byte, 1) == 0 ? 0 : 4);
    }
    ::close(gate[1]);
    int winners = 0;
    for (int i = 0; i < kStarters; ++i) {
      char byte = 0;
      ASSERT_EQ(::read(verdict[0], &byte, 1), 1);
      winners += byte == 'w' ? 1 : 0;
    }
    EXPECT_EQ(winners, 1);
    EXPECT_TRUE(connect_to("unix:" + path_));
    ::close(finish[1]);
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    for (const int fd : {gate[0], verdict[0], verdict[1], finish[0]}) ::close(fd);
    std::filesystem::remove(path_);
  }
}

}  // namespace
}  // namespace h2park::net
