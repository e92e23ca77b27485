#include "base/code_pages.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace h2park {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

int drop_if_wanted(dl_phdr_info* info, std::size_t, void* library) {
  if (!file_name(info->dlpi_name).starts_with(*static_cast<std::string_view*>(library))) return 0;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    // What was written to is no copy of the file.
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t from = (info->dlpi_addr + segment.p_vaddr) & ~(page - 1);
    const std::uintptr_t to = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void drop_code_pages(std::string_view library) { dl_iterate_phdr(drop_if_wanted, &library); }

}  // namespace h2park
