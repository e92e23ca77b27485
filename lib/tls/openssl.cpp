#include "tls/openssl.hpp"

#include <openssl/err.h>

#include <cstring>

namespace h2park::tls {

std::string_view reason_text(unsigned long code) {
  const char* text =
      ERR_SYSTEM_ERROR(code) ? ::strerrordesc_np(ERR_GET_REASON(code)) : ERR_reason_error_string(code);
  return text == nullptr ? std::string_view("unknown error") : std::string_view(text);
}

unsigned long take_cause() {
  unsigned long cause = ERR_peek_error();
  bool clear = false;
  while (const unsigned long entry = ERR_get_error()) {
    const bool general = (ERR_GET_RFLAGS(entry) & ERR_RFLAG_COMMON) != 0;  // "SSL lib", "malloc failure"
    if (clear || general || ERR_GET_LIB(entry) != ERR_LIB_SSL) continue;
    cause = entry;
    clear = true;
  }
  return cause;
}

std::string take_reason() { return std::string(reason_text(take_cause())); }

}  // namespace h2park::tls
