#include "stats/counters.hpp"

namespace h2park::stats {

std::string_view to_string(WakeReason reason) {
  switch (reason) {
    case WakeReason::kReadable:
      return "readable";
    case WakeReason::kHandler:
      return "handler";
    case WakeReason::kBody:
      return "body";
    case WakeReason::kTimer:
      return "timer";
    case WakeReason::kShutdown:
      return "shutdown";
    case WakeReason::kWrite:
      return "write";
  }
  return "unknown";
}

std::string_view to_string(Depth depth) {
  switch (depth) {
    case Depth::kActive:
      return "active";
    case Depth::kParked:
      return "parked";
    case Depth::kFrozen:
      return "frozen";
  }
  return "unknown";
}

}  // namespace h2park::stats
