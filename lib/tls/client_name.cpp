#include "tls/client_name.hpp"

#include "tls/openssl.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <new>

namespace h2park::tls {
namespace {

bool is_address(const std::string& text) {
  in6_addr ignored{};
  return ::inet_pton(AF_INET, text.c_str(), &ignored) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &ignored) == 1;
}

}  // namespace

ClientName client_name(const std::string& host) {
  std::string text = host;
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  if (const std::string unscoped = text.substr(0, text.find('%')); is_address(unscoped)) {
    return {.text = unscoped, .is_address = true};
  }
  // RFC 6066 3: "without a trailing dot"; certificates have none either.
  if (text.size() > 1 && text.back() == '.') text.pop_back();
  return {.text = std::move(text)};
}

void use_name(ssl_st* ssl, const ClientName& name, bool verify) {
  bool fine = true;
  // A longer name than there can be goes without; the check then says what is wrong.
  if (!name.is_address && name.text.size() <= TLSEXT_MAXLEN_host_name) {
    // SSL_set_tlsext_host_name(), less its C cast.
    fine = SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    const_cast<char*>(name.text.c_str())) == 1;
  }
  if (verify) {
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    fine = fine && SSL_set1_host(ssl, name.text.c_str()) == 1;  // takes an address for one
  }
  ERR_clear_error();
  if (!fine) throw std::bad_alloc();
}

}  // namespace h2park::tls
