#include "openssl_memory.hpp"

#include <openssl/crypto.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace h2park::tls {
namespace {

struct alignas(std::max_align_t) Header {
  std::size_t bytes;
  bool record_layer;
};

thread_local long blocks = 0;
std::atomic<long> record_bytes{0};

void* take(std::size_t bytes, const char* file, int) {
  auto* header = static_cast<Header*>(std::malloc(sizeof(Header) + bytes));
  if (header == nullptr) return nullptr;
  *header = {bytes, file != nullptr && std::strstr(file, "ssl/record/") != nullptr};
  ++blocks;
  if (header->record_layer) record_bytes += static_cast<long>(bytes);
  return header + 1;
}

void give_back(void* block, const char*, int) {
  if (block == nullptr) return;
  Header* header = static_cast<Header*>(block) - 1;
  --blocks;
  if (header->record_layer) record_bytes -= static_cast<long>(header->bytes);
  std::free(header);
}

void* resize(void* block, std::size_t bytes, const char* file, int line) {
  void* larger = take(bytes, file, line);
  if (block == nullptr || larger == nullptr) return larger;
  const std::size_t before = (static_cast<Header*>(block) - 1)->bytes;
  std::memcpy(larger, block, before < bytes ? before : bytes);
  give_back(block, file, line);
  return larger;
}

// Before main(), so before the library's first allocation; it refuses later.
const int kInstalled = CRYPTO_set_mem_functions(&take, &resize, &give_back);

}  // namespace

long live_blocks() {
  if (kInstalled != 1) std::abort();
  return blocks;
}

long live_record_bytes() { return record_bytes; }

}  // namespace h2park::tls
