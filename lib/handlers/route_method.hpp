// Request methods as a small set, for routes and `allow` fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::handlers {

/// The methods this server knows (RFC 9110 9.3, PATCH: RFC 5789). Any other is answered with 501.
enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kTrace, kConnect };
inline constexpr std::size_t kMethods = 9;

/// Case-sensitive (RFC 9110 9.1).
std::optional<Method> parse_method(std::string_view name);
std::string_view to_string(Method method);

/// A set of methods in one word.
class MethodSet {
 public:
  constexpr MethodSet() = default;
  constexpr MethodSet(Method method) : bits_(bit(method)) {}  // NOLINT: a method is a set of one
  constexpr MethodSet operator|(MethodSet other) const { return MethodSet(bits_ | other.bits_); }
  constexpr bool has(Method method) const { return (bits_ & bit(method)) != 0; }
  constexpr bool overlaps(MethodSet other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool operator==(const MethodSet&) const = default;

  /// The value of an `allow` field (RFC 9110 10.2.1): "GET, HEAD, OPTIONS". GET brings HEAD; OPTIONS is
  /// always there.
  std::string allow() const;

 private:
  explicit constexpr MethodSet(unsigned bits) : bits_(static_cast<std::uint16_t>(bits)) {}
  static constexpr unsigned bit(Method method) { return 1U << static_cast<unsigned>(method); }
  std::uint16_t bits_ = 0;
};

constexpr MethodSet operator|(Method a, Method b) { return MethodSet(a) | MethodSet(b); }

}  // namespace h2park::handlers
