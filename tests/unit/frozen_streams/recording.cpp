#include "recording.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <set>

namespace h2park::test {

std::ostream& operator<<(std::ostream& out, const Recording& that) { return out << that.name; }

std::vector<Recording> recordings() {
  std::vector<Recording> all;
  for (const auto& entry : std::filesystem::directory_iterator(H2PARK_STREAMS)) {
    if (entry.path().extension() != ".bin") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string name = entry.path().stem();
    std::ranges::replace(name, '-', '_');
    all.push_back({name, {std::istreambuf_iterator<char>(file), {}}});
  }
  std::ranges::sort(all, {}, &Recording::name);
  return all;
}

std::vector<std::size_t> offsets(std::size_t bytes, std::size_t stride) {
  std::vector<std::size_t> all;
  for (std::size_t at = 1; at < bytes; at += stride) all.push_back(at);
  return all;
}

std::vector<std::size_t> random_offsets(std::size_t bytes, std::mt19937& random) {
  std::set<std::size_t> chosen;
  const std::size_t count = 2 + random() % 30;
  for (std::size_t at = random() % bytes; chosen.size() < count;) {
    chosen.insert(at);
    at = (random() % 2 == 0 ? at + 1 + random() % 20 : random()) % bytes;
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace h2park::test
