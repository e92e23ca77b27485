// h2park_docs DIR: writes DIR/man and DIR/completions from the option table.
#include "cmd/docs/completions.hpp"
#include "cmd/docs/man_page.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
namespace docs = h2park::cmd::docs;

bool write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text << std::flush;
  if (!out) std::fprintf(stderr, "h2park_docs: cannot write %s\n", file.c_str());
  return static_cast<bool>(out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: h2park_docs DIR\n", stderr);
    return 2;
  }
  const fs::path root = argv[1];
  bool good = write(root / "man" / "h2park.1", docs::man_page(h2park::cmd::program()));
  for (const auto& command : h2park::cmd::commands()) {
    good &= write(root / "man" / (command.page_name() + ".1"), docs::man_page(command));
  }
  good &= write(root / "completions" / "h2park.bash", docs::bash_completion());
  good &= write(root / "completions" / "_h2park", docs::zsh_completion());
  good &= write(root / "completions" / "h2park.fish", docs::fish_completion());
  return good ? 0 : 1;
}
