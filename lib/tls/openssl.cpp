#include "tls/openssl.hpp"

#include <openssl/err.h>

#include <cstring>

namespace h2park::tls {

std::string_view reason_text(unsigned long code) {
  const char* text =
      ERR_SYSTEM_ERROR(code) ? ::strerrordesc_np(ERR_GET_REASON(code)) : ERR_reason_error_string(code);
  return text == nullptr ? std::string_view("unknown error") : std::string_view(text);
}

std::string take_reason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  return std::string(reason_text(code));
}

}  // namespace h2park::tls
