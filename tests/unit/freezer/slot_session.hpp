// A real nghttp2 server session that lives in a slot, and recorded bytes of clients to feed it: what the
// tests and the benchmark freeze.
#pragma once

#include "freezer/slot_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_session;

namespace h2park::freezer::test {

/// What one client sends.
struct ClientKind {
  bool mixed = false;  ///< its own user agent, cookie and window, as `h2rig --mixed`
  int requests = 1;
  int pings = 0;
  bool leaves_streams_open = false;  ///< the last request's body does not end
};

/// The bytes of one client, one entry per write: preface and SETTINGS, then each request after the last one's
/// answer.
std::vector<std::string> record_client(const ClientKind& kind, std::mt19937& random);
std::string concatenated(const std::vector<std::string>& writes);

/// The session and all its memory are in the slot; this object is too, as the heap's root.
class SlotSession {
 public:
  static SlotSession& make(SlotHeap& heap);
  static SlotSession& in(SlotHeap& heap) { return *static_cast<SlotSession*>(heap.root()); }
  /// Releases all of it.
  static void end(SlotHeap& heap);

  /// Takes bytes of the client; returns what the server says to them.
  std::string feed(std::string_view bytes);
  /// What it has to say by itself.
  std::string output();

 private:
  explicit SlotSession(SlotHeap& heap);

  nghttp2_session* session_ = nullptr;
};

}  // namespace h2park::freezer::test
