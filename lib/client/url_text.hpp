// The text of a URL before it is one: what people type and servers put into Location, made into RFC 3986.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace h2park::client {

/// The scheme of `text` in lower case, "" if it has none: letters, digits, "+", "-" and "." before a colon.
std::string scheme_of(std::string_view text);

/// Refuses what can't be meant: control characters, spaces and bytes outside of ASCII. Errors (usage): one
/// line naming the first of them.
Result<> check_characters(std::string_view text);

/// A Location as servers really send it: as curl does, spaces become %20 ("+" in the query) and bytes outside
/// of ASCII their triplets. Control characters stay, for check_characters().
std::string encode_location(std::string_view text);

/// Of a path, a query or both: triplets for printable characters that no URL has (RFC 3986 2), such as '"',
/// '[', '{', '|' and a '%' that begins no triplet. curl sends them as they are, and strict servers refuse
/// them.
std::string encode_target(std::string_view text);

/// RFC 3986 5.2.4. Triplets are left alone. Requires: begins with '/'.
std::string remove_dot_segments(std::string_view path);

/// For messages: in single quotes, what can't be printed as '?', cut after 100 characters.
std::string quoted_url(std::string_view text);

}  // namespace h2park::client
