#include "tls/client_context.hpp"

#include "tls/certificate.hpp"
#include "tls/client_sessions.hpp"
#include "tls/openssl.hpp"
#include "tls/pem_file.hpp"

#include <openssl/err.h>
#include <sys/stat.h>

#include <cerrno>

namespace h2park::tls {
namespace {

constexpr unsigned char kProtocols[] = "\x08http/1.1";  // RFC 7301 3.1: each after its length

bool set_rules(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                   // ClientTransport tells a FIN without close_notify apart.
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // A record's header and body in one system call.
  SSL_CTX_set_read_ahead(context, 1);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1 &&
         // 0 is this one's success.
         SSL_CTX_set_alpn_protos(context, kProtocols, sizeof kProtocols - 1) == 0 && keep_sessions(context);
}

Result<> check_directory(const std::string& what, const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return system_failure(what, errno);
  if (!S_ISDIR(found.st_mode)) return system_failure(what, ENOTDIR);
  return {};
}

Result<> trust(SSL_CTX* context, const ClientOptions& options) {
  ERR_clear_error();
  if (options.ca_file.empty() && options.ca_directory.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) == 1) return {};
    return fail("cannot use the system's CA certificates: " + take_reason());
  }
  if (!options.ca_file.empty()) {
    const std::string what = "cannot read CA certificates " + quoted(options.ca_file);
    if (auto readable = check_readable(what, options.ca_file); !readable) return readable;
    if (SSL_CTX_load_verify_file(context, options.ca_file.c_str()) != 1) {
      return fail(what + ": " + pem_reason("certificate"));
    }
  }
  if (!options.ca_directory.empty()) {
    const std::string what = "cannot read CA certificates in " + quoted(options.ca_directory);
    if (auto readable = check_directory(what, options.ca_directory); !readable) return readable;
    if (SSL_CTX_load_verify_dir(context, options.ca_directory.c_str()) != 1) {
      return fail(what + ": " + take_reason());
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<ClientContext>> ClientContext::make(const ClientOptions& options) {
  ERR_clear_error();
  SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (!context || !set_rules(context.get())) return fail("cannot set up TLS: " + take_reason());
  // Read even without verification: a file that is not there is a mistake either way.
  if (auto trusted = trust(context.get(), options); !trusted) return std::unexpected(trusted.error());
  if (!options.certificate.empty()) {
    const std::string& key = options.key.empty() ? options.certificate : options.key;
    if (auto used = use_files(context.get(), options.certificate, key); !used) {
      return std::unexpected(used.error());
    }
  }
  SSL_CTX_set_verify(context.get(), options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  // As curl: whatever stands in the CA file is trusted, an intermediate's certificate too.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  return std::shared_ptr<ClientContext>(new ClientContext(context.release(), options.verify));
}

ClientContext::~ClientContext() { SSL_CTX_free(context_); }

}  // namespace h2park::tls
