#include "tls/pem_file.hpp"

#include "net/unique_fd.hpp"
#include "tls/openssl.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <cerrno>

namespace h2park::tls {

std::string quoted(const std::string& path) { return "'" + path + "'"; }

Result<> check_readable(const std::string& what, const std::string& path) {
  const net::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_failure(what, errno);
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return system_failure(what, errno);
  if (S_ISDIR(found.st_mode)) return system_failure(what, EISDIR);
  return {};
}

std::string pem_reason(std::string_view expected) {
  const unsigned long cause = take_cause();
  const bool no_pem = (ERR_GET_LIB(cause) == ERR_LIB_PEM && ERR_GET_REASON(cause) == PEM_R_NO_START_LINE) ||
                      ERR_GET_REASON(cause) == ERR_R_UNSUPPORTED;
  return std::string(reason_text(cause)) +
         (no_pem ? " (there is no PEM " + std::string(expected) + " in it)" : "");
}

}  // namespace h2park::tls
