// Before main(), as the server does it before its first use of OpenSSL.
#include "tls/slot_routing.hpp"

#include <cstdlib>

namespace {
const bool kRouted = h2park::tls::route_allocations() || (std::abort(), false);
}
