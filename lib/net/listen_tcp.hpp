// The TCP half of listen_on().
#pragma once

#include "base/error.hpp"
#include "net/listen_socket.hpp"

#include <vector>

namespace h2park::net {

/// Errors: the reason alone; listen_on() names the endpoint.
Result<std::vector<ListenSocket>> listen_tcp(const Endpoint& endpoint, unsigned shares);

}  // namespace h2park::net
