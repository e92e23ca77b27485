#include "base/error.hpp"

#include <system_error>

namespace h2park {

std::unexpected<Error> system_failure(std::string what, int error_number) {
  return fail(std::move(what) + ": " + std::generic_category().message(error_number));
}

}  // namespace h2park
