// Comparing secrets.
#pragma once

#include <string_view>

namespace h2park::tls {

/// How long it takes depends on the lengths only, not on where the two differ. Thread: any.
bool equal_secrets(std::string_view one, std::string_view other);

}  // namespace h2park::tls
