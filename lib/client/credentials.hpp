// Credentials: a user's name and password, and the field value that carries them (RFC 7617).
#pragma once

#include <string>
#include <string_view>

namespace h2park::client {

struct Credentials {
  std::string user;
  std::string password;
};

/// Of "user:password" at the first colon, so that a password may have more; without one it is all user.
Credentials split_credentials(std::string_view text);

/// For Authorization and Proxy-Authorization: "Basic dTpw".
std::string basic_authorization(std::string_view user, std::string_view password);

}  // namespace h2park::client
