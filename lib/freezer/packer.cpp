#include "freezer/packer.hpp"

// For contexts in memory of our own; Debian's library exports these functions.
#define ZSTD_STATIC_LINKING_ONLY
#include "freezer/discard_list.hpp"
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
  ShapeBook shapes;
  DiscardList discards;
  std::unique_ptr<BlockFilter> filter;
  FlatSlot flat;
  // a byte for the shape's number, and what is left
  std::array<std::byte, 1 + Shape::kMostResidual> residual;
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

void Packer::give_pages_back() { scratch_->discards.flush(); }

const Dictionary& Packer::dictionary() const { return *scratch_->dictionary; }
ImageStore& Packer::store() { return scratch_->store; }

const ShapeBook& Packer::shapes() const { return scratch_->shapes; }

Image Packer::pack_shaped(const SlotHeap& heap) try {
  Scratch& scratch = *scratch_;
  if (scratch.dictionary->known().empty()) return {};
  const auto fit =
      scratch.shapes.subtract(heap, scratch.dictionary->known(), std::span(scratch.residual).subspan<1>());
  Image image;
  if (fit) {
    scratch.residual[0] = std::byte{fit->number};
    image = Image(scratch.store, nullptr, std::span(scratch.residual).first(1 + fit->residual));
    if (image) scratch.shapes.hold(fit->number);
  }
  explicit_bzero(scratch.residual.data(), scratch.residual.size());
  return image;
} catch (const std::bad_alloc&) {
  explicit_bzero(scratch_->residual.data(), scratch_->residual.size());
  return {};  // for a shape that was to be learnt
}

Image Packer::pack_flat(SlotHeap& heap) {
  Scratch& scratch = *scratch_;
  const std::span<const std::byte> flat = scratch.flat.flatten(heap);
  const std::size_t size = ZSTD_compress2(scratch.compressor.get(), scratch.frame.data(),
                                          scratch.frame.size(), flat.data(), flat.size());
  scratch.flat.clear();
  Image image;
  if (ZSTD_isError(size) == 0) {
    image = Image(scratch.store, scratch.dictionary.get(),
                  std::span(scratch.frame).subspan(kMagicBytes, size - kMagicBytes));
  }
  explicit_bzero(scratch.frame.data(), ZSTD_isError(size) != 0 ? scratch.frame.size() : size);
  return image;
}

Image Packer::pack(SlotHeap& heap) {
  heap.settle();
  Image image = pack_shaped(heap);
  if (!image) image = pack_flat(heap);
  if (image) scratch_->discards.add(&heap, heap.touched_bytes());
  return image;
}

SlotHeap* Packer::restore_shaped(std::span<const std::byte> content, void* slot) {
  if (content.empty()) return nullptr;
  const auto number = std::to_integer<std::uint8_t>(content.front());
  const Shape* shape = scratch_->shapes.at(number);
  SlotHeap* heap = shape == nullptr ? nullptr : shape->add(content.subspan(1), slot);
  if (heap != nullptr) scratch_->shapes.drop(number);
  return heap;
}

SlotHeap* Packer::restore_flat(const Image& image, void* slot) {
  Scratch& scratch = *scratch_;
  const Dictionary* dictionary = image.dictionary();
  if (dictionary == nullptr) return nullptr;
  const std::span<const std::byte> compressed = image.packed();
  const std::span frame = std::span(scratch.frame).first(kMagicBytes + compressed.size());
  std::memcpy(frame.data(), &kMagic, kMagicBytes);
  std::memcpy(frame.data() + kMagicBytes, compressed.data(), compressed.size());
  const std::size_t size =
      ZSTD_decompress_usingDDict(scratch.decompressor.get(), scratch.restored.data(), scratch.restored.size(),
                                 frame.data(), frame.size(), dictionary->for_decompression());
  explicit_bzero(frame.data(), frame.size());
  if (ZSTD_isError(size) != 0) return nullptr;
  const std::span flat = std::span(scratch.restored).first(size);
  SlotHeap* heap = scratch.flat.restore(flat, slot);
  explicit_bzero(flat.data(), flat.size());
  return heap;
}

std::expected<SlotHeap*, ThawError> Packer::unpack(Image& image, void* slot) {
  give_pages_back();
  if (!image.intact()) return std::unexpected(ThawError::kDamaged);
  SlotHeap* heap =
      image.form() == Image::Form::kShaped ? restore_shaped(image.packed(), slot) : restore_flat(image, slot);
  if (heap == nullptr) {
    discard_pages(slot, kSlotBytes);
    return std::unexpected(ThawError::kMalformed);
  }
  image.reset();
  return heap;
}

}  // namespace h2park::freezer
