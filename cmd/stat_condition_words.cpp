#include "cmd/stat_condition_words.hpp"

#include <array>

namespace h2park::cmd {
namespace {

using Kind = ConditionWord::Kind;

// Longer ones first: "<=" is not "<" and "=".
constexpr std::array<std::string_view, 11> kSymbols = {"<=", ">=", "==", "!=", "&&", "||",
                                                       "<",  ">",  "!",  "(",  ")"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// Keys have dashes, rates a slash: there is no arithmetic that they could be taken for.
bool continues_name(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '/'; }
bool continues_number(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

std::string_view take_while(std::string_view text, bool (*wanted)(char)) {
  std::size_t length = 0;
  while (length < text.size() && wanted(text[length])) ++length;
  return text.substr(0, length);
}

/// The word that `rest`, which is not empty, begins with; an empty one if there is none.
ConditionWord first_word(std::string_view rest, std::size_t column) {
  if (is_letter(rest.front())) return {Kind::kName, take_while(rest, continues_name), column};
  if (is_digit(rest.front())) return {Kind::kNumber, take_while(rest, continues_number), column};
  for (const std::string_view symbol : kSymbols) {
    if (rest.starts_with(symbol)) return {Kind::kSymbol, rest.substr(0, symbol.size()), column};
  }
  return {Kind::kSymbol, {}, column};
}

/// What one more often means than knows.
std::string hint(char c) {
  if (c == '=') return ": equal is ==";
  if (c == '&' || c == '|') return ": there is && and ||";
  return "";
}

}  // namespace

std::unexpected<Error> condition_error(std::size_t column, const std::string& why) {
  return usage_error("column " + std::to_string(column) + ": " + why);
}

Result<std::vector<ConditionWord>> condition_words(std::string_view text) {
  std::vector<ConditionWord> words;
  for (std::size_t at = 0;;) {
    at = std::min(text.find_first_not_of(" \t\n", at), text.size());
    if (at == text.size()) break;
    const ConditionWord word = first_word(text.substr(at), at + 1);
    if (word.text.empty()) {
      return condition_error(at + 1,
                             "'" + std::string(1, text[at]) + "' has no meaning here" + hint(text[at]));
    }
    words.push_back(word);
    at += word.text.size();
  }
  words.push_back({Kind::kEnd, {}, text.size() + 1});
  return words;
}

}  // namespace h2park::cmd
