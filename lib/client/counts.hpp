// ClientCounts: what a client has done so far.
#pragma once

#include "client/reuse.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace h2park::client {

struct ClientCounts {
  std::uint64_t opened = 0;    ///< connections
  std::uint64_t reused = 0;    ///< requests on a connection that had served one
  std::uint64_t requests = 0;  ///< sent, redirects and retries included
  std::array<std::uint64_t, kCloseReasons> closed{};
  std::array<std::uint64_t, kDrainResults>
      drains{};          ///< of every response, also of redirects that were followed
  std::size_t idle = 0;  ///< now
  std::size_t busy = 0;
  std::size_t draining = 0;
  std::size_t dialling = 0;
};

}  // namespace h2park::client
