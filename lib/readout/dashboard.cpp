#include "readout/dashboard.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace h2park::readout {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
}};

}  // namespace

const DashboardFile* find_dashboard_file(std::string_view path) {
  if (path == "/") path = "/dashboard/index.html";
  const auto files = dashboard_files();
  const auto found = std::ranges::find(files, path, &DashboardFile::path);
  return found != files.end() ? &*found : nullptr;
}

std::string_view dashboard_type(const DashboardFile& file) {
  for (const auto& [ending, type] : kTypes) {
    if (file.path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

}  // namespace h2park::readout
