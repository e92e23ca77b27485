#include "tls/ticket_callback.hpp"

#include <openssl/core_names.h>
#include <openssl/rand.h>

#include <cstring>
#include <optional>
#include <string>

namespace h2park::tls {
namespace {

using SharedKeys = std::shared_ptr<TicketKeys>;

// What OpenSSL understands (SSL_CTX_set_tlsext_ticket_key_evp_cb(3)).
constexpr int kFailed = -1;
constexpr int kNoTicket = 0;
constexpr int kUsed = 1;
constexpr int kUsedAndRenew = 2;

void free_keys(void*, void* keys, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<SharedKeys*>(keys);
}

int keys_index() {
  static const int index =
      CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nullptr, nullptr, nullptr, &free_keys);
  return index;
}

bool set_up_mac(EVP_MAC_CTX* mac, TicketKeys::Key& key) {
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac.data(), key.mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

int seal(TicketKeys& keys, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  auto key = keys.current();
  if (!key) return kNoTicket;
  std::memcpy(name, key->name.data(), key->name.size());
  if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) return kFailed;
  if (EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->cipher.data(), iv) != 1) return kFailed;
  return set_up_mac(mac, *key) ? kUsed : kFailed;
}

int open(SSL* ssl, TicketKeys& keys, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
         EVP_MAC_CTX* mac) {
  auto key = keys.find(std::span<const unsigned char, TicketKeys::kNameBytes>(name, TicketKeys::kNameBytes));
  if (!key) return kNoTicket;
  if (EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->cipher.data(), iv) != 1) return kFailed;
  if (!set_up_mac(mac, *key)) return kFailed;
  // RFC 8446 C.4: a client uses a TLS 1.3 ticket once, so each resumption brings it the next one.
  return SSL_version(ssl) == TLS1_3_VERSION || !keys.is_current(*key) ? kUsedAndRenew : kUsed;
}

int ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
               int encrypt) {
  const auto* keys = static_cast<SharedKeys*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), keys_index()));
  return encrypt != 0 ? seal(**keys, name, iv, cipher, mac) : open(ssl, **keys, name, iv, cipher, mac);
}

}  // namespace

bool seal_tickets_with(SSL_CTX* context, std::shared_ptr<TicketKeys> keys) {
  auto owned = std::make_unique<SharedKeys>(std::move(keys));
  if (SSL_CTX_set_ex_data(context, keys_index(), owned.get()) != 1) return false;
  owned.release();
  return SSL_CTX_set_tlsext_ticket_key_evp_cb(context, &ticket_key) == 1;
}

}  // namespace h2park::tls
