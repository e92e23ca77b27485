#include "tls/allocation_sites.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace h2park::tls {
namespace {

// The record layer's buffers (17 KiB and more) come and go with each record, so they are not for a slot.
constexpr std::string_view kRecordLayer = "ssl/record/";

constexpr std::string_view kCiphers = "providers/implementations/ciphers/";

// Not here: crypto/buffer/ and crypto/bio/bf_buff.c, a handshake's 25 KiB of buffers. They are freed when it
// is done; in the slot they would push out what stays.
constexpr std::array<std::string_view, 12> kSites{
    "ssl/",                       // SSL, its session, its copy of the certificate's frame
    "crypto/bio/bio_lib.c",       // the socket's BIO
    "crypto/ec/ecx_key.c",        // ephemeral keys, X25519 and X448
    "crypto/evp/digest.c",        // the handshake's digest
    "crypto/evp/evp_enc.c",       // cipher contexts
    "crypto/evp/p_lib.c",         // ephemeral keys' frames
    "crypto/stack/stack.c",       // what the client offered
    "crypto/threads_pthread.c",   // locks of the objects above
    "crypto/x509/x509_vpm.c",     // verification parameters
    "include/internal/packet.h",  // what the client offered, copied
    kCiphers,                     // keys
    "providers/implementations/digests/",
};

/// OpenSSL's own builds compile outside of the source tree: "../ssl/ssl_lib.c".
std::string_view without_parents(std::string_view file) {
  while (file.starts_with("../")) file.remove_prefix(3);
  return file;
}

}  // namespace

bool is_cipher(const char* file) noexcept {
  return file != nullptr && without_parents(file).starts_with(kCiphers);
}

bool is_per_connection(const char* file) noexcept {
  if (file == nullptr) return false;
  const std::string_view name = without_parents(file);
  if (name.starts_with(kRecordLayer)) return false;
  return std::ranges::any_of(kSites, [name](std::string_view site) { return name.starts_with(site); });
}

}  // namespace h2park::tls
