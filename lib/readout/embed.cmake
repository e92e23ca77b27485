# cmake -D OUTPUT=FILE.cpp -D DIRECTORY=DIR -P embed.cmake: the files of a folder as constants, for dashboard.hpp.
file(GLOB files ${DIRECTORY}/*)
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  # 16 characters are what a delimiter may have, and what none of the files has.
  string(APPEND entries "    {\"/dashboard/${name}\", R\"=h2park=embeds=(${content})=h2park=embeds=\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by lib/readout/embed.cmake.
#include \"readout/dashboard.hpp\"

#include <array>

namespace h2park::readout {
namespace {

constexpr std::array kFiles = std::to_array<DashboardFile>({
${entries}});

}  // namespace

std::span<const DashboardFile> dashboard_files() { return kFiles; }

}  // namespace h2park::readout
")
