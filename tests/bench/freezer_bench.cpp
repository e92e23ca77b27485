// What freezing and thawing a real nghttp2 session costs, and how large its image is.
//
//     ninja -C build/release bench_freezer && build/release/tests/bench_freezer
//
// Arguments: mixed (0: all clients alike, 1: as `h2rig --mixed`), requests made before the freeze. 3,000
// sessions take turns, so that caches are as cold as in a server; the time includes the system call and the
// page faults.
#include "freezer/packer.hpp"
#include "freezer/slots.hpp"
#include "unit/freezer/slot_session.hpp"

#include <benchmark/benchmark.h>

#include <memory>

namespace h2park::freezer {
namespace {

constexpr std::size_t kSessions = 3000;

/// Sessions in slots, their images, and a dictionary of eight other sessions.
class Fleet {
 public:
  Fleet(bool mixed, int requests, int level = Dictionary::kOwnParameters)
      : packer_(Packer::make(dictionary(level)).value()) {
    for (std::size_t session = 0; session < kSessions; ++session) {
      heaps_.push_back(begin({.mixed = mixed, .requests = requests}));
    }
    images_.resize(kSessions);
  }
  ~Fleet() {
    for (SlotHeap* heap : heaps_) end(heap);
  }

  void freeze(std::size_t session) { images_[session] = packer_.pack(*heaps_[session]); }
  void thaw(std::size_t session) {
    if (!packer_.unpack(images_[session], heaps_[session])) std::abort();
  }
  double mean_image_bytes() {
    std::size_t total = 0;
    for (Image& image : images_) total += image.block().size();
    return static_cast<double>(total) / kSessions;
  }
  double mean_stored_bytes() const {
    std::size_t total = 0;
    for (const Image& image : images_) total += image.stored_bytes();
    return static_cast<double>(total) / kSessions;
  }
  double mean_touched_bytes() const {
    std::size_t total = 0;
    for (const SlotHeap* heap : heaps_) total += heap->touched_bytes();
    return static_cast<double>(total) / kSessions;
  }
  void freeze_all() {
    for (std::size_t session = 0; session < kSessions; ++session) freeze(session);
  }
  void thaw_all() {
    for (std::size_t session = 0; session < kSessions; ++session) thaw(session);
  }

 private:
  SlotHeap* begin(const test::ClientKind& kind) {
    SlotHeap* heap = slots_.take();
    test::SlotSession& session = test::SlotSession::make(*heap);
    session.output();
    for (const std::string& write : test::record_client(kind, random_)) session.feed(write);
    return heap;
  }
  void end(SlotHeap* heap) {
    test::SlotSession::end(*heap);
    if (slots_.give_back(*heap) != 0) std::abort();
  }
  Dictionary::Ref dictionary(int level) {
    std::vector<SlotHeap*> samples;
    for (int sample = 0; sample < 8; ++sample) {
      samples.push_back(begin({.mixed = sample >= 2, .requests = 1 + sample % 2}));
    }
    Dictionary::Ref made = Dictionary::build(samples, level).value();
    for (SlotHeap* sample : samples) end(sample);
    return made;
  }

  std::mt19937 random_{3};
  Slots slots_ = Slots::reserve(kSessions + 8).value();
  Packer packer_;
  std::vector<SlotHeap*> heaps_;
  std::vector<Image> images_;
};

void freeze(benchmark::State& state) {
  Fleet fleet(state.range(0) != 0, static_cast<int>(state.range(1)));
  state.counters["touched"] = fleet.mean_touched_bytes();
  std::size_t session = 0;
  for (auto _ : state) {
    if (session == kSessions) {
      state.PauseTiming();
      fleet.thaw_all();
      session = 0;
      state.ResumeTiming();
    }
    fleet.freeze(session++);
  }
  while (session < kSessions) fleet.freeze(session++);
  state.counters["image"] = fleet.mean_image_bytes();
  state.counters["stored"] = fleet.mean_stored_bytes();
  fleet.thaw_all();
}
BENCHMARK(freeze)
    ->ArgNames({"mixed", "requests"})
    ->ArgsProduct({{0, 1}, {1, 2, 100}})
    ->Iterations(6 * kSessions);

void thaw(benchmark::State& state) {
  Fleet fleet(state.range(0) != 0, static_cast<int>(state.range(1)));
  fleet.freeze_all();
  std::size_t session = 0;
  for (auto _ : state) {
    if (session == kSessions) {
      state.PauseTiming();
      fleet.freeze_all();
      session = 0;
      state.ResumeTiming();
    }
    fleet.thaw(session++);
  }
  while (session < kSessions) fleet.thaw(session++);
}
BENCHMARK(thaw)->ArgNames({"mixed", "requests"})->ArgsProduct({{0, 1}, {1}})->Iterations(6 * kSessions);

/// Which level of zstd, 0 being our own parameters: time against bytes, for the mixed fleet.
void freeze_at_level(benchmark::State& state) {
  Fleet fleet(true, 1, static_cast<int>(state.range(0)));
  std::size_t session = 0;
  for (auto _ : state) fleet.freeze(session++);
  state.counters["image"] = fleet.mean_image_bytes();
  fleet.thaw_all();
}
BENCHMARK(freeze_at_level)
    ->ArgName("level")
    ->Arg(0)
    ->Arg(1)
    ->Arg(3)
    ->Arg(6)
    ->Arg(9)
    ->Arg(19)
    ->Iterations(kSessions);

void allocate_and_release(benchmark::State& state) {
  Slots slots = Slots::reserve(1).value();
  SlotHeap& heap = *slots.take();
  for (auto _ : state) {
    void* block = heap.obtain(static_cast<std::size_t>(state.range(0)));
    benchmark::DoNotOptimize(block);
    heap.release(block);
  }
}
BENCHMARK(allocate_and_release)->Arg(40)->Arg(300)->Arg(2000);

void take_and_give_back(benchmark::State& state) {
  Slots slots = Slots::reserve(1).value();
  for (auto _ : state) {
    if (slots.give_back(*slots.take()) != 0) std::abort();
  }
}
BENCHMARK(take_and_give_back);

}  // namespace
}  // namespace h2park::freezer

BENCHMARK_MAIN();
