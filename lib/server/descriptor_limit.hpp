// How many descriptors the process may open, and how many of them are for connections.
#pragma once

#include <cstddef>

namespace h2park::server {

/// Raises the soft limit to the hard one. What stays without privileges is what the environment allows.
void raise_descriptor_limit();

/// The limit less what is not a connection: listeners, logs, epoll sets, the stats endpoint.
std::size_t connections_by_descriptors();

}  // namespace h2park::server
