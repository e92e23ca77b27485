// Header and trailer fields: an ordered list in one block of text.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::http {

/// Fields about one connection, which a handler may not set and HTTP/2 does not have (RFC 9110 7.6.1, RFC
/// 9113 8.2.2). Requires: `name` is lower-case.
bool is_connection_field(std::string_view name);

struct Field {
  std::string_view name;  ///< lower-case (RFC 9113 8.2.1; HTTP/1 input is lowered by its session)
  std::string_view value;
};

/// Fields in the order they were added. Names and values stand in one text block and entries are fixed-size,
/// so that a connection's memory packs well.
/// Lifetime: views are valid until the next add(), set() or clear().
class Fields {
 public:
  explicit Fields(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : text_(memory), entries_(memory) {}

  /// Requires: `name` is lower-case.
  void add(std::string_view name, std::string_view value);
  /// Replaces every field of that name.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);
  void clear();
  void reserve(std::size_t fields, std::size_t text_bytes);

  /// The first field of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  /// True if a comma-separated list in any field `name` has `token`, case-insensitively (RFC 9110 5.6.1).
  bool has_token(std::string_view name, std::string_view token) const;
  std::size_t count(std::string_view name) const;

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// RFC 9113 6.5.2: each field counts name + value + 32.
  std::size_t charged_bytes() const { return text_.size() - dropped_ + 32 * entries_.size(); }

  Field operator[](std::size_t index) const {
    const Entry& e = entries_[index];
    return {{text_.data() + e.offset, e.name_bytes}, {text_.data() + e.offset + e.name_bytes, e.value_bytes}};
  }

  class Iterator {
   public:
    using value_type = Field;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Fields* fields, std::size_t index) : fields_(fields), index_(index) {}
    Field operator*() const { return (*fields_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++index_;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Fields* fields_ = nullptr;
    std::size_t index_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  struct Entry {
    std::uint32_t offset;
    std::uint32_t name_bytes;
    std::uint32_t value_bytes;
  };
  std::pmr::string text_;
  std::pmr::vector<Entry> entries_;
  std::size_t dropped_ = 0;  // bytes of text_ that belong to removed fields
};

}  // namespace h2park::http
