// Socket activation: listening sockets that the service manager opened (sd_listen_fds(3)), without its
// library.
#pragma once

#include "base/error.hpp"
#include "net/listen_socket.hpp"

#include <string>
#include <vector>

namespace h2park::net {

struct ActivatedSocket {
  ListenSocket socket;  ///< share 0: one acceptor deals its connections out; a unix file stays the manager's
  std::string name;     ///< FileDescriptorName=, or "" where the manager gave none
};

/// Takes over the descriptors that LISTEN_FDS announces if LISTEN_PID is this process, makes them
/// non-blocking and close-on-exec, and removes LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES from the environment
/// in any case, so that no child believes they are for it. Without activation: an empty list. Requires: no
/// other thread runs yet (the environment is changed). Called once. Errors: a variable that makes no sense,
/// or a descriptor that is not a listening stream socket; every announced descriptor is closed then.
Result<std::vector<ActivatedSocket>> take_activated_sockets();

}  // namespace h2park::net
