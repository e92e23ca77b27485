// Fuzz target: whatever a client sends, and wherever it is cut, a worker that freezes the connection at each
// cut says what one says that only parks it.
//
// 1. The first byte: how many cuts (four bits), and whether the clock stands still between them or moves on.
// 2. A byte for each cut: how far it is from the one before, up to 16 bytes one by one, then in longer
//    strides.
// 3. The rest is the client's, HTTP/2 or HTTP/1.
//
// links: server
// support: stream_replay socket_peer tls_client worker_house
#include "fuzz/finding.hpp"
#include "support/replay_pair.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace h2park::fuzz {
namespace {

using test::ReplayPair;
using test::StreamReplay;

constexpr std::size_t kMostCuts = 15;

// Most of what matters is near, a frame's header or a few fields; but bodies are longer than 256 bytes.
std::size_t distance(std::uint8_t byte) { return byte < 16 ? byte + 1U : (byte - 15U) * 8U + 16U; }

void check(std::string_view input) {
  const auto controls = static_cast<std::uint8_t>(input[0]);
  input.remove_prefix(1);
  StreamReplay::Plan plan;
  if ((controls & 0x10) != 0) plan.step = Duration::zero();
  std::size_t at = 0;
  for (std::size_t left = controls & kMostCuts; left > 0 && !input.empty(); --left) {
    plan.cuts.push_back(at += distance(static_cast<std::uint8_t>(input[0])));
    input.remove_prefix(1);
  }
  plan.bytes = input;

  // Kept from input to input, as a server's worker is from connection to connection.
  static ReplayPair pair;
  const std::string difference = pair.difference(plan);
  if (!difference.empty()) std::fprintf(stderr, "%s\n", difference.c_str());
  require(difference.empty(), "freezing makes no difference");
  require(pair.slots_kept() == 0, "a connection leaves its slot, and nothing in it");
}

}  // namespace
}  // namespace h2park::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;  // keep it out of the corpus
  h2park::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
