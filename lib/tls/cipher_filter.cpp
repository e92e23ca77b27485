#include "tls/cipher_filter.hpp"

#include "freezer/granule_map.hpp"
#include "tls/openssl.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace h2park::tls {
namespace {

using Word = std::uint64_t;
using CipherPtr = std::unique_ptr<EVP_CIPHER, FreeWith<EVP_CIPHER_free>>;
using ContextPtr = std::unique_ptr<EVP_CIPHER_CTX, FreeWith<EVP_CIPHER_CTX_free>>;

constexpr std::size_t kShortKey = 16;
constexpr std::size_t kLongKey = 32;
constexpr std::size_t kRoundKey = 16;
constexpr std::size_t kNowhere = SIZE_MAX;

/// Two keys that no client has, to find out where contexts have theirs.
std::array<unsigned char, kLongKey> own_key(unsigned char seed) {
  std::array<unsigned char, kLongKey> key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(seed + 7 * i);
  return key;
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; });
}

Word word_at(const std::byte* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

class CipherFilter::Reference {
 public:
  Reference(const char* name, std::size_t key_bytes) : key_bytes_(key_bytes), context_(EVP_CIPHER_CTX_new()) {
    const CipherPtr cipher(EVP_CIPHER_fetch(nullptr, name, nullptr));
    if (cipher == nullptr || context_ == nullptr) return;
    CipherBlockCapture capture;
    if (EVP_CipherInit_ex(context_.get(), cipher.get(), nullptr, own_key(1).data(), nullptr, 1) != 1) return;
    block_ = {capture.block, capture.bytes};
    const std::vector<std::byte> first(block_.begin(), block_.end());
    const std::size_t place = find(own_key(1));
    if (!set_key(own_key(2).data()) || find(own_key(2)) != place) return;
    if (!set_key(own_key(1).data()) || !std::ranges::equal(block_, first)) return;
    key_at_ = place;
  }

  bool understood() const {
    return key_at_ != kNowhere && key_at_ + round_key_bytes() <= bytes() && block_.size() <= kMostBytes;
  }
  std::size_t whole_granules() const { return freezer::granules_for(block_.size()) * freezer::kGranuleBytes; }
  std::size_t bytes() const { return block_.size() / sizeof(Word) * sizeof(Word); }
  std::size_t key_bytes() const { return key_bytes_; }
  /// FIPS 197 5.2: a round key for the beginning and one for each of 10 or 14 rounds, the key itself first.
  std::size_t round_key_bytes() const { return (key_bytes_ / 4 + 7) * kRoundKey; }
  bool round_keys_are_zero(std::span<const std::byte> block) const {
    return all_zero(block.subspan(key_at_, round_key_bytes()));
  }
  std::span<std::byte> key_in(std::span<std::byte> block) const { return block.subspan(key_at_, key_bytes_); }
  std::span<const std::byte> key_in(std::span<const std::byte> block) const {
    return block.subspan(key_at_, key_bytes_);
  }

  bool set_key(const void* key) {
    return EVP_CipherInit_ex(context_.get(), nullptr, nullptr, static_cast<const unsigned char*>(key),
                             nullptr, 1) == 1;
  }
  void forget_key() { set_key(own_key(1).data()); }
  /// Adds the reference to `block`, or takes it away: exclusive or is both. What points into the reference
  /// points into the block that lies at `address`.
  void combine(std::span<std::byte> block, const std::byte* address) const {
    const auto from = reinterpret_cast<Word>(block_.data());
    for (std::size_t at = 0; at < bytes(); at += sizeof(Word)) {
      Word word = word_at(&block_[at]);
      if (word - from < block_.size()) word = word - from + reinterpret_cast<Word>(address);
      word ^= word_at(&block[at]);
      std::memcpy(&block[at], &word, sizeof word);
    }
  }

 private:
  /// Where the context has that key; kNowhere also if it has it twice.
  std::size_t find(const std::array<unsigned char, kLongKey>& key) const {
    const std::span wanted = std::as_bytes(std::span(key)).first(key_bytes_);
    const auto found = std::ranges::search(block_, wanted);
    if (found.empty()) return kNowhere;
    const std::span rest(found.end(), block_.end());
    if (!std::ranges::search(rest, wanted).empty()) return kNowhere;
    return static_cast<std::size_t>(found.begin() - block_.begin());
  }

  const std::size_t key_bytes_;
  ContextPtr context_;
  std::span<std::byte> block_;  // the provider's part of the context
  std::size_t key_at_ = kNowhere;
};

CipherFilter::CipherFilter()
    : references_{std::make_unique<Reference>("AES-128-GCM", kShortKey),
                  std::make_unique<Reference>("AES-256-GCM", kLongKey)} {
  ERR_clear_error();
  for (auto& reference : references_) {
    if (!reference->understood()) reference.reset();
  }
}

CipherFilter::~CipherFilter() = default;

bool CipherFilter::knows(std::size_t bytes) const {
  return std::ranges::any_of(references_, [bytes](const auto& reference) {
    return reference && reference->whole_granules() == bytes;
  });
}

// A longer key whose second half is zero would be taken for a short one.
CipherFilter::Reference* CipherFilter::reference_for(std::span<const std::byte> stripped) {
  const auto& [shorter, longer] = references_;
  if (longer && !all_zero(longer->key_in(stripped).subspan(kShortKey))) return longer.get();
  return shorter.get();
}

bool CipherFilter::strip_with(Reference& reference, std::span<std::byte> copy, const std::byte* address) {
  std::array<std::byte, kLongKey> kept{};
  const std::span key = std::span(kept).first(reference.key_bytes());
  std::ranges::copy(reference.key_in(copy), key.begin());
  if (all_zero(key) || !reference.set_key(key.data())) return false;
  reference.combine(copy, address);
  // The key is right for this kind of context if all round keys that follow from it are.
  const bool right = reference.round_keys_are_zero(copy);
  std::ranges::copy(key, reference.key_in(copy).begin());
  const bool stripped = right && reference_for(copy) == &reference;
  if (!stripped) {
    std::ranges::fill(reference.key_in(copy), std::byte{});
    reference.combine(copy, address);
  }
  OPENSSL_cleanse(kept.data(), kept.size());
  return stripped;
}

bool CipherFilter::strip(std::span<std::byte> copy, const std::byte* address) {
  return std::ranges::any_of(references_, [&](const auto& reference) {
    if (!reference) return false;
    const bool stripped = strip_with(*reference, copy, address);
    reference->forget_key();
    return stripped;
  });
}

void CipherFilter::derive(std::span<std::byte> block) {
  Reference* reference = reference_for(block);
  if (reference == nullptr) return;
  reference->set_key(reference->key_in(block).data());
  const std::span<std::byte> key = reference->key_in(block);
  std::ranges::fill(key, std::byte{});
  reference->combine(block, block.data());
  reference->forget_key();
}

}  // namespace h2park::tls
