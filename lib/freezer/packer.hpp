// Packer: freezes a slot into an image and thaws it again.
//
// pack:   subtract the slot's shape, if one is known for its layout and little is left (shape.hpp); else
//         flatten it (flat_slot.hpp) and compress that against the dictionary. Copy what there is into an
//         image, give the slot's pages back to the kernel.
// unpack: check the image, and the same backwards into the same slot; only pages with data are touched.
//
// A thread's packer has one set of scratch memory and zstd contexts, about 0.5 MiB once used, none per
// connection. Secrets: scratch memory is zeroed after each use. The zstd contexts may hold parts of the slot
// that was packed or unpacked last. Neither is in core dumps. Thread: one per thread.
#pragma once

#include "base/error.hpp"
#include "freezer/block_filter.hpp"
#include "freezer/dictionary.hpp"
#include "freezer/image.hpp"
#include "freezer/private_pages.hpp"
#include "freezer/shape_book.hpp"
#include "freezer/slot_heap.hpp"

#include <cstddef>
#include <expected>
#include <memory>
#include <span>

namespace h2park::freezer {

/// Why an image could not be thawed. The connection is lost; the process is well.
enum class ThawError : std::uint8_t {
  kDamaged,   ///< the checksum is wrong: memory was overwritten
  kMalformed  ///< the checksum is right, but the content is no slot's: a bug here
};
const char* to_string(ThawError error);

class Packer {
 public:
  /// Errors: no memory.
  /// `filter`: see BlockFilter; the samples of all dictionaries were flattened with one like it.
  static Result<Packer> make(Dictionary::Ref dictionary, std::unique_ptr<BlockFilter> filter = nullptr);
  Packer(Packer&&) noexcept;
  Packer& operator=(Packer&&) noexcept;
  ~Packer();

  /// For images from now on; older ones keep theirs. Requires: not null.
  void use(Dictionary::Ref dictionary);
  const Dictionary& dictionary() const;
  const ShapeBook& shapes() const;
  /// Where this packer's images lie.
  ImageStore& store();

  /// Requires: nobody touches the slot until unpack(). The heap object is gone too: what the caller keeps is
  /// the slot's address or index. Its pages go with give_pages_back(). Errors: an empty image when there is
  /// no memory for one; the slot is then as before.
  Image pack(SlotHeap& heap);
  /// Gives the pages of all that were packed back to the kernel, after a few of them or the last. unpack()
  /// does it by itself; so does pack() when there are many.
  void give_pages_back();

  /// Restores the slot and empties the image.
  /// Requires: the slot that the image was packed from, untouched since.
  /// Errors: the image stays as it is, the slot is empty pages again. Its blocks are lost, so it may be
  /// reused as soon as nothing else knows of it: Slots::give_back_frozen().
  std::expected<SlotHeap*, ThawError> unpack(Image& image, void* slot);

 private:
  struct Scratch;
  using ScratchPointer = std::unique_ptr<Scratch, InPrivatePages<Scratch>>;

  explicit Packer(ScratchPointer scratch);
  /// Empty: its shape is not known, or there is no memory.
  Image pack_shaped(const SlotHeap& heap);
  Image pack_flat(SlotHeap& heap);
  /// Null: malformed.
  SlotHeap* restore_shaped(std::span<const std::byte> content, void* slot);
  SlotHeap* restore_flat(const Image& image, void* slot);

  ScratchPointer scratch_;
};

}  // namespace h2park::freezer
