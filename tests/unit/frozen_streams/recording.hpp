// Recordings: what real clients sent on one connection (tools/record-streams), and where it is cut.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <iosfwd>
#include <random>
#include <string>
#include <vector>

namespace h2park::test {

struct Recording {
  std::string name;  // of the file, with '_'
  std::string bytes;

  bool http2() const { return bytes.starts_with("PRI * HTTP/2.0"); }
  bool has_upload() const { return bytes.size() > 2'000; }

  friend std::ostream& operator<<(std::ostream& out, const Recording& that);
};

/// All of tests/streams, in the order of their names.
std::vector<Recording> recordings();

/// For INSTANTIATE_TEST_SUITE_P.
inline std::string name_of(const testing::TestParamInfo<Recording>& test) { return test.param.name; }

/// Every `stride`-th offset from 1 to before `bytes`.
std::vector<std::size_t> offsets(std::size_t bytes, std::size_t stride = 1);
/// A few offsets below `bytes`, in order: as often close together as far apart.
std::vector<std::size_t> random_offsets(std::size_t bytes, std::mt19937& random);

/// How much is left out where a replay takes long: with sanitizers, and without optimization.
#if defined(__SANITIZE_THREAD__)
inline constexpr std::size_t kStride = 61;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr std::size_t kStride = 17;
#elif !defined(NDEBUG)
inline constexpr std::size_t kStride = 7;
#else
inline constexpr std::size_t kStride = 1;
#endif

}  // namespace h2park::test
