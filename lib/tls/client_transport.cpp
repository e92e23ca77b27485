#include "tls/client_transport.hpp"

#include "tls/client_error.hpp"
#include "tls/client_name.hpp"
#include "tls/client_sessions.hpp"
#include "tls/openssl.hpp"
#include "tls/ssl_pipe.hpp"

#include <openssl/err.h>

#include <utility>

namespace h2park::tls {
namespace {

std::string contents(const BioPtr& memory) {
  char* data = nullptr;
  const long bytes = BIO_ctrl(memory.get(), BIO_CTRL_INFO, 0, &data);  // BIO_get_mem_data(), less its C cast
  return bytes > 0 ? std::string(data, static_cast<std::size_t>(bytes)) : std::string();
}

std::string name_text(const X509_NAME* name) {
  const BioPtr text(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(text.get(), name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
  return contents(text);
}

std::string time_text(const ASN1_TIME* time) {
  const BioPtr text(BIO_new(BIO_s_mem()));
  ASN1_TIME_print_ex(text.get(), time, ASN1_DTFLGS_ISO8601);
  return contents(text);
}

class SslClientTransport final : public ClientTransport {
 public:
  SslClientTransport(ClientContext& context, net::UniqueFd socket, const std::string& host,
                     std::uint16_t port)
      : pipe_(context.native(), std::move(socket), Side::kClient), name_(client_name(host)) {
    use_name(pipe_.native(), name_, context.verifies());
    resume_as(pipe_.native(), name_.text + ':' + std::to_string(port));
  }

  ~SslClientTransport() override {
    // The library forbids the resumption of sessions whose connection ended without a goodbye, an old rule
    // that RFC 5246 7.2.1 dropped.
    if (!pipe_.dead()) SSL_set_shutdown(pipe_.native(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }

  int descriptor() const override { return pipe_.descriptor(); }

  net::IoStatus handshake() override {
    const net::IoStatus status = pipe_.handshake();
    if (status == net::IoStatus::kEof) fault_ = HandshakeFault::kProtocol;
    if (status != net::IoStatus::kError) return status;
    fault_ = is_distrust(pipe_.tls_error()) ? HandshakeFault::kUntrusted : HandshakeFault::kProtocol;
    return explained(status);
  }

  net::IoResult read(std::span<std::byte> room) override {
    const net::IoResult result = pipe_.read(room);
    explained(result.status);
    return result;
  }

  net::IoResult write(std::span<const std::byte> bytes) override {
    const net::IoResult result = pipe_.write(bytes);
    explained(result.status);
    return result;
  }

  bool has_pending() const override { return pipe_.has_pending(); }
  void shutdown_write() override { pipe_.shutdown_write(); }
  std::string_view alpn() const override { return pipe_.alpn(); }
  bool secure() const override { return true; }
  std::string_view error_text() const override { return error_.empty() ? pipe_.error_text() : error_; }

  HandshakeFault handshake_fault() const override { return fault_; }
  bool truncated() const override { return pipe_.truncated(); }
  long verify_result() const override { return SSL_get_verify_result(pipe_.native()); }
  bool resumed() const override { return SSL_session_reused(pipe_.native()) == 1; }
  std::string_view protocol() const override { return SSL_get_version(pipe_.native()); }

  std::string_view cipher() const override {
    const char* name = SSL_CIPHER_standard_name(SSL_get_current_cipher(pipe_.native()));
    return name == nullptr ? std::string_view{} : name;
  }

  std::string describe_certificate() const override {
    const X509* certificate = SSL_get0_peer_certificate(pipe_.native());
    if (certificate == nullptr) return {};
    std::string text = "subject: " + name_text(X509_get_subject_name(certificate)) +
                       "\nissuer: " + name_text(X509_get_issuer_name(certificate)) +
                       "\nvalid from: " + time_text(X509_get0_notBefore(certificate)) +
                       "\nvalid until: " + time_text(X509_get0_notAfter(certificate));
    ERR_clear_error();
    return text;
  }

 private:
  net::IoStatus explained(net::IoStatus status) {
    if (status == net::IoStatus::kError && pipe_.tls_error() != 0 && error_.empty()) {
      error_ = client_error(pipe_.native(), pipe_.tls_error(), name_.text);
    }
    return status;
  }

  SslPipe pipe_;
  const ClientName name_;
  HandshakeFault fault_ = HandshakeFault::kNone;
  std::string error_;
};

}  // namespace

std::unique_ptr<ClientTransport> connect(ClientContext& context, net::UniqueFd socket,
                                         const std::string& host, std::uint16_t port) {
  return std::make_unique<SslClientTransport>(context, std::move(socket), host, port);
}

}  // namespace h2park::tls
