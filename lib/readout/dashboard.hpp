// The dashboard's files, as they lie in lib/readout/dashboard, embedded into the binary.
#pragma once

#include <span>
#include <string_view>

namespace h2park::readout {

struct DashboardFile {
  std::string_view path;  ///< "/dashboard/style.css"
  std::string_view content;
};

/// Lifetime: static. Its definition is made by embed.cmake.
std::span<const DashboardFile> dashboard_files();

/// What is served at `path`; "/" is the page itself. nullptr: nothing.
const DashboardFile* find_dashboard_file(std::string_view path);
/// By the path's ending.
std::string_view dashboard_type(const DashboardFile& file);

/// Content-Security-Policy: everything from here, nothing inline, in nobody's frame.
inline constexpr std::string_view kDashboardPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace h2park::readout
