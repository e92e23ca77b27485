#include "handlers/static_files_path.hpp"

#include "handlers/route_path.hpp"
#include "http/percent.hpp"

namespace h2park::handlers {
namespace {

constexpr PathRefusal kBadRequest = 400;
constexpr PathRefusal kNotFound = 404;

}  // namespace

std::expected<FilePath, PathRefusal> file_path_of(std::string_view path) {
  FilePath file;
  for (std::string_view rest = path; !rest.empty();) {
    const auto segment = http::percent_decode(take_segment(rest));
    if (!segment || segment->contains('\0')) return std::unexpected(kBadRequest);
    if (segment->empty() && rest.empty()) {
      file.is_directory = true;
      file.below_root += "index.html";
      return file;
    }
    if (segment->empty() || segment->front() == '.' || segment->contains('/') || segment->contains('\\')) {
      return std::unexpected(kNotFound);
    }
    file.below_root += *segment;
    if (!rest.empty()) file.below_root += '/';
  }
  return file;
}

}  // namespace h2park::handlers
