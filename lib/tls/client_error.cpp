#include "tls/client_error.hpp"

#include "tls/openssl.hpp"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <string_view>

namespace h2park::tls {
namespace {

bool is_tls(unsigned long code, int reason) {
  return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == reason;
}

/// An alert that came is told as a reason of its own, this much above the alert's number.
constexpr int kAlertOffset = SSL_AD_REASON_OFFSET;
constexpr int kMaxAlert = 255;

/// The library has a list of alerts for this, without the newer ones; those it names as reasons only ("tlsv13
/// alert certificate required").
std::string alert_text(int alert, unsigned long code) {
  std::string text = SSL_alert_desc_string_long(alert);
  if (text != "unknown") return text;
  constexpr std::string_view kBefore = "alert ";
  const std::string_view reason = reason_text(code);
  const std::size_t at = reason.find(kBefore);
  return std::string(at == std::string_view::npos ? reason : reason.substr(at + kBefore.size()));
}

std::string distrust(const ssl_st* ssl, const std::string& name) {
  const long result = SSL_get_verify_result(ssl);
  if (result == X509_V_ERR_HOSTNAME_MISMATCH || result == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    return "certificate is not valid for '" + name + "'";
  }
  return std::string("certificate verify failed: ") + X509_verify_cert_error_string(result);
}

}  // namespace

bool is_distrust(unsigned long code) { return is_tls(code, SSL_R_CERTIFICATE_VERIFY_FAILED); }

std::string client_error(const ssl_st* ssl, unsigned long code, const std::string& name) {
  if (is_distrust(code)) return distrust(ssl, name);
  const int alert = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) - kAlertOffset : -1;
  if (alert >= 0 && alert <= kMaxAlert) return "the server sent the alert '" + alert_text(alert, code) + "'";
  const bool other_protocol = is_tls(code, SSL_R_WRONG_VERSION_NUMBER) || is_tls(code, SSL_R_HTTP_REQUEST) ||
                              is_tls(code, SSL_R_PACKET_LENGTH_TOO_LONG);
  if (other_protocol) return "the server does not answer with TLS";
  return std::string(reason_text(code));
}

}  // namespace h2park::tls
