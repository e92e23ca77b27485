#include "tls/equal_secrets.hpp"

#include <openssl/crypto.h>

namespace h2park::tls {

bool equal_secrets(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace h2park::tls
