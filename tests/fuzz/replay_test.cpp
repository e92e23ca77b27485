// Replays a fuzz target's corpus with whatever compiler the tests are built with: every file whole, and cut
// off after every byte. A finding ends the process; its message and the test's name tell which file it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace h2park::fuzz {
namespace {

// The corpus is a folder of files whose names say what they are.
std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(H2PARK_CORPUS)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

class Corpus : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Corpus, HoldsNoFinding) {
  std::ifstream file(GetParam(), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(content.empty());
  for (std::size_t size = 0; size <= content.size(); ++size) {
    // A copy of just that size, so that a sanitizer sees what is read beyond it.
    const std::vector<std::uint8_t> input(content.begin(),
                                          content.begin() + static_cast<std::ptrdiff_t>(size));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(corpus()), [](const auto& test) {
  std::string name = test.param.filename().string();
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace h2park::fuzz
