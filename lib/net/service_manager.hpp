// What the server tells the service manager that started it (sd_notify(3)), without its library.
#pragma once

#include "base/error.hpp"

#include <cstdint>

namespace h2park::net {

enum class ServiceState : std::uint8_t {
  kReady,      ///< READY=1: listening; also after a reload
  kReloading,  ///< RELOADING=1 with MONOTONIC_USEC, as Type=notify-reload asks; kReady ends it
  kStopping,   ///< STOPPING=1: the shutdown has begun
};

/// One datagram to the socket that NOTIFY_SOCKET names ('@' at its start: an abstract one). Never waits.
/// True: sent. False: nobody asked (no NOTIFY_SOCKET).
/// Errors: worth a log line, never a reason to stop.
Result<bool> notify_service_manager(ServiceState state);

}  // namespace h2park::net
