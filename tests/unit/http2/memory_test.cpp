#include "http2/session_memory.hpp"
#include "support/h2_peer.hpp"
#include "support/h2_routes.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace h2park::http2 {
namespace {

using namespace std::chrono_literals;
using test::h2_routes;
using test::H2Peer;
using test::request;

TEST(SessionMemory, KeepsWhatABlockHolds) {
  test::CountingMemory memory;
  FrameBuffer buffer;
  SessionMemory blocks(&memory, buffer);
  nghttp2_mem mem = blocks.functions();
  auto* block = static_cast<char*>(mem.malloc(10, mem.mem_user_data));
  std::memcpy(block, "0123456789", 10);
  block = static_cast<char*>(mem.realloc(block, 5000, mem.mem_user_data));
  EXPECT_EQ(std::string_view(block, 10), "0123456789");
  mem.free(block, mem.mem_user_data);
  mem.free(nullptr, mem.mem_user_data);
  auto* zeros = static_cast<char*>(mem.calloc(7, 3, mem.mem_user_data));
  EXPECT_EQ(std::string_view(zeros, 21), std::string(21, '\0'));
  mem.free(zeros, mem.mem_user_data);
  EXPECT_EQ(memory.live, 0U);
}

TEST(SessionMemory, AnswersTheFrameBlockWithTheSharedBufferOnlyWhileCreating) {
  test::CountingMemory memory;
  FrameBuffer buffer;
  SessionMemory blocks(&memory, buffer);
  nghttp2_mem mem = blocks.functions();
  void* before = mem.malloc(FrameBuffer::kNeeded, mem.mem_user_data);
  EXPECT_NE(before, static_cast<void*>(buffer.data()));
  blocks.set_creating(true);
  void* shared = mem.malloc(FrameBuffer::kNeeded, mem.mem_user_data);
  EXPECT_EQ(shared, static_cast<void*>(buffer.data()));
  void* second = mem.malloc(FrameBuffer::kNeeded, mem.mem_user_data);
  EXPECT_NE(second, static_cast<void*>(buffer.data())) << "one session has one such block";
  mem.free(shared, mem.mem_user_data);
  mem.free(second, mem.mem_user_data);
  mem.free(before, mem.mem_user_data);
  EXPECT_EQ(memory.live, 0U);
}

TEST(SessionMemory, TurnsBadAllocIntoANullPointer) {
  FrameBuffer buffer;
  SessionMemory blocks(std::pmr::null_memory_resource(), buffer);
  nghttp2_mem mem = blocks.functions();
  EXPECT_EQ(mem.malloc(10, mem.mem_user_data), nullptr);
  EXPECT_EQ(mem.calloc(10, 1, mem.mem_user_data), nullptr);
}

TEST(Memory, NoSessionOwnsAFrameSizedBuffer) {
  H2Peer peer(h2_routes());
  peer.greet();
  peer.write_headers(1, request("GET", "/hello"));
  EXPECT_EQ(peer.response(1).body, "hello\n");
  EXPECT_LT(peer.memory.largest, 8 * 1024U);
}

TEST(Memory, AnIdleSessionTakesElevenKibibytes) {
  H2Peer peer(h2_routes());
  peer.greet();
  peer.write_headers(1, request("GET", "/hello"));
  EXPECT_LT(peer.memory.live, 11 * 1024U);
}

TEST(Memory, IsFlatAfterThousandsOfRequests) {
  H2Peer peer(h2_routes());
  peer.greet();
  std::size_t after_warm_up = 0;
  for (std::uint32_t id = 1; id < 6'000; id += 2) {
    peer.write_headers(id, request("GET", "/hello"));
    if (id == 301) after_warm_up = peer.memory.live;
  }
  EXPECT_EQ(peer.memory.live, after_warm_up);
}

TEST(Memory, IsFlatAgainAfterAFlood) {
  H2Peer peer(h2_routes());
  peer.greet();
  peer.write_headers(1, request("GET", "/hello"));
  const std::size_t before = peer.memory.live;
  for (std::uint32_t id = 3; id < 600; id += 2) {
    test::FieldList fields = request("POST", "/wait");
    for (int i = 0; i < 90; ++i) fields.emplace_back("x-filler", std::string(100, 'f'));
    peer.write_headers(id, fields, false);
    if (id % 40 == 1) peer.advance(1s);
    peer.send(test::rst_stream(id, test::kCancel));
  }
  peer.want_alive();
  EXPECT_LT(peer.memory.live, before + 1024U);
}

TEST(Memory, SurvivesAllocationThatFailsAtAnyPoint) {
  // A resource that fails once its allowance is used up: every operation in turn.
  class Failing final : public std::pmr::memory_resource {
   public:
    int left = 0;

   private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      if (left-- <= 0) throw std::bad_alloc();
      return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
      std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
      return this == &other;
    }
  };
  const std::string dialogue =
      test::preface() + test::settings_frame({{4, 100'000}}) + test::settings_ack() +
      test::frame(1, 4, 1, test::block(request("POST", "/nowhere", {{"cookie", "a=b"}}))) +
      test::frame(0, 1, 1, std::string(1000, 'u')) + test::ping("12345678");
  bool went_through = false;
  for (int allowance = 0; !went_through; ++allowance) {
    ASSERT_LT(allowance, 500);
    Failing memory;
    memory.left = allowance;
    test::ExchangeDriver driver([](http::Request&, http::Responder&) -> Task<> { co_return; });
    test::MemorySink sink;
    SessionFactory factory({});
    try {
      auto session = factory.make(&memory, driver, driver.budget, false);
      session->receive(std::as_bytes(std::span(dialogue)));
      session->produce(sink);
      went_through = !session->finished();
      if (session->finished()) {
        EXPECT_EQ(session->close_reason(), http::CloseReason::kError);
      }
    } catch (const std::bad_alloc&) {
      // the session could not even be made
    }
  }
}

}  // namespace
}  // namespace h2park::http2
