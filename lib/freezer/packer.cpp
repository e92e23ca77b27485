#include "freezer/packer.hpp"

// For contexts in memory of our own; Debian's library exports these functions.
#define ZSTD_STATIC_LINKING_ONLY
#include "freezer/flat_slot.hpp"
#include "freezer/private_pages.hpp"
#include "freezer/slot_pages.hpp"

#include <zstd.h>

#include <cstring>
#include <utility>

namespace h2park::freezer {
namespace {

// Every frame begins with zstd's magic number: not worth 4 bytes in every image.
constexpr std::uint32_t kMagic = ZSTD_MAGICNUMBER;
constexpr std::size_t kMagicBytes = sizeof kMagic;

// zstd keeps literals of what it works on in its contexts. A page in front of each block remembers its size.
constexpr std::size_t kPage = 4096;
const ZSTD_customMem kPrivateMemory{
    .customAlloc = [](void*, std::size_t bytes) -> void* {
      auto* pages = static_cast<std::byte*>(map_private_pages(bytes + kPage));
      if (pages == nullptr) return nullptr;
      std::memcpy(pages, &bytes, sizeof bytes);
      return pages + kPage;
    },
    .customFree =
        [](void*, void* block) {
          if (block == nullptr) return;
          std::byte* pages = static_cast<std::byte*>(block) - kPage;
          std::size_t bytes;
          std::memcpy(&bytes, pages, sizeof bytes);
          unmap_private_pages(pages, bytes + kPage);
        },
    .opaque = nullptr,
};

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

const char* to_string(ThawError error) {
  return error == ThawError::kDamaged ? "the frozen image is damaged" : "the frozen image is malformed";
}

struct Packer::Scratch {
  Dictionary::Ref dictionary;
  std::unique_ptr<ZSTD_CCtx, FreeContext> compressor{ZSTD_createCCtx_advanced(kPrivateMemory)};
  std::unique_ptr<ZSTD_DCtx, FreeContext> decompressor{ZSTD_createDCtx_advanced(kPrivateMemory)};
  ImageStore store;
  std::unique_ptr<BlockFilter> filter;
  FlatSlot flat;
  std::array<std::byte, ZSTD_COMPRESSBOUND(kMostFlatBytes)> frame;
  std::array<std::byte, kMostFlatBytes> restored;
};
static_assert(ZSTD_COMPRESSBOUND(kMostFlatBytes) <= Image::kMostBytes);

Packer::Packer(ScratchPointer scratch) : scratch_(std::move(scratch)) {}
Packer::Packer(Packer&&) noexcept = default;
Packer& Packer::operator=(Packer&&) noexcept = default;
Packer::~Packer() = default;

Result<Packer> Packer::make(Dictionary::Ref dictionary, std::unique_ptr<BlockFilter> filter) {
  ScratchPointer scratch(InPrivatePages<Scratch>::make());
  if (!scratch || !scratch->compressor || !scratch->decompressor) return fail("no memory for the freezer");
  ZSTD_CCtx_setParameter(scratch->compressor.get(), ZSTD_c_dictIDFlag, 0);  // the image knows its dictionary
  scratch->filter = std::move(filter);
  scratch->flat.set_filter(scratch->filter.get());
  Packer packer(std::move(scratch));
  packer.use(std::move(dictionary));
  return packer;
}

void Packer::use(Dictionary::Ref dictionary) {
  if (scratch_->dictionary.get() == dictionary.get()) return;
  scratch_->dictionary = std::move(dictionary);
  ZSTD_CCtx_refCDict(scratch_->compressor.get(), scratch_->dictionary->for_compression());
}

const Dictionary& Packer::dictionary() const { return *scratch_->dictionary; }
ImageStore& Packer::store() { return scratch_->store; }

Image Packer::pack(SlotHeap& heap) {
  Scratch& scratch = *scratch_;
  const std::span<const std::byte> flat = scratch.flat.flatten(heap);
  const std::size_t size = ZSTD_compress2(scratch.compressor.get(), scratch.frame.data(),
                                          scratch.frame.size(), flat.data(), flat.size());
  scratch.flat.clear();
  if (ZSTD_isError(size) != 0) return {};
  Image image(scratch.store, *scratch.dictionary,
              std::span(scratch.frame).subspan(kMagicBytes, size - kMagicBytes));
  explicit_bzero(scratch.frame.data(), size);
  if (image) discard_pages(&heap, heap.touched_bytes());
  return image;
}

std::span<const std::byte> Packer::decompress(const Image& image) {
  Scratch& scratch = *scratch_;
  const Dictionary* dictionary = image.dictionary();
  if (dictionary == nullptr) return {};
  const std::span<const std::byte> compressed = image.compressed();
  const std::span frame = std::span(scratch.frame).first(kMagicBytes + compressed.size());
  std::memcpy(frame.data(), &kMagic, kMagicBytes);
  std::memcpy(frame.data() + kMagicBytes, compressed.data(), compressed.size());
  const std::size_t size =
      ZSTD_decompress_usingDDict(scratch.decompressor.get(), scratch.restored.data(), scratch.restored.size(),
                                 frame.data(), frame.size(), dictionary->for_decompression());
  explicit_bzero(frame.data(), frame.size());
  return std::span(scratch.restored).first(ZSTD_isError(size) != 0 ? 0 : size);
}

std::expected<SlotHeap*, ThawError> Packer::unpack(Image& image, void* slot) {
  if (!image.intact()) return std::unexpected(ThawError::kDamaged);
  const std::span<const std::byte> flat = decompress(image);
  SlotHeap* heap = scratch_->flat.restore(flat, slot);
  explicit_bzero(scratch_->restored.data(), flat.size());
  if (heap == nullptr) {
    discard_pages(slot, kSlotBytes);
    return std::unexpected(ThawError::kMalformed);
  }
  image.reset();
  return heap;
}

}  // namespace h2park::freezer
