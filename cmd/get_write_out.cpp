#include "cmd/get_write_out.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace h2park::cmd {
namespace {

constexpr std::string_view kField = "%header{";
constexpr std::string_view kFile = "%output{";

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

WriteOut::WriteOut(std::string_view format) {
  while (!format.empty()) {
    const std::size_t special = std::min(format.find_first_of("%\\"), format.size());
    add_text(format.substr(0, special));
    format.remove_prefix(special);
    if (format.empty()) break;
    format = format.front() == '%' ? take_percent(format) : take_escape(format);
  }
}

void WriteOut::add_text(std::string_view text) {
  if (text.empty()) return;
  if (pieces_.empty() || pieces_.back().kind != Piece::Kind::kText) pieces_.push_back({});
  pieces_.back().text += text;
}

void WriteOut::add_variable(std::string_view name) {
  if (const VariableSpec* spec = find_variable(name)) {
    pieces_.push_back({Piece::Kind::kVariable, "", spec->id});
    using enum Variable;
    constexpr std::array kOfFields{kHeaderJson, kNumHeaders, kJson};
    wants_fields_ = wants_fields_ || std::ranges::find(kOfFields, spec->id) != kOfFields.end();
  } else if (std::ranges::find(unknown_, name) == unknown_.end()) {
    unknown_.emplace_back(name);
  }
}

std::string_view WriteOut::take_escape(std::string_view rest) {
  const char c = rest.size() > 1 ? rest[1] : 0;
  if (c == 'n' || c == 'r' || c == 't') {
    add_text(c == 'n' ? "\n" : c == 'r' ? "\r" : "\t");
    return rest.substr(2);
  }
  add_text(rest.substr(0, 2));
  return rest.substr(std::min<std::size_t>(2, rest.size()));
}

std::string_view WriteOut::take_percent(std::string_view rest) {
  const std::size_t end = rest.find('}');
  const auto inner = [&](std::size_t from) { return rest.substr(from, end - from); };
  if (rest.starts_with("%%")) {
    add_text("%");
    return rest.substr(2);
  }
  if (end == std::string_view::npos) {
    add_text(rest.substr(0, 1));
    return rest.substr(1);
  }
  if (rest.starts_with("%{")) {
    add_variable(inner(2));
  } else if (rest.starts_with(kField)) {
    pieces_.push_back({Piece::Kind::kField, lowered(inner(kField.size()))});
    wants_fields_ = true;
  } else if (rest.starts_with(kFile)) {
    const bool append = rest.substr(kFile.size()).starts_with(">>");
    pieces_.push_back({append ? Piece::Kind::kAppendedFile : Piece::Kind::kFile,
                       std::string(inner(kFile.size() + (append ? 2 : 0)))});
  } else {
    add_text(rest.substr(0, 1));
    return rest.substr(1);
  }
  return rest.substr(end + 1);
}

std::string WriteOut::value(const Piece& piece, const Outcome& outcome) {
  switch (piece.kind) {
    case Piece::Kind::kText:
      return piece.text;
    case Piece::Kind::kField:
      return outcome.fields == nullptr ? "" : std::string(outcome.fields->find(piece.text).value_or(""));
    default:
      return variable_text(piece.variable, outcome);
  }
}

void WriteOut::expand(const Outcome& outcome,
                      const std::function<void(const To& to, std::string_view text)>& write) const {
  To to;
  std::string text;
  const auto turn_to = [&](To next) {
    if (!text.empty()) write(to, text);
    text.clear();
    to = next;
  };
  for (const Piece& piece : pieces_) {
    if (piece.kind == Piece::Kind::kFile) {
      turn_to({To::Kind::kFile, piece.text});
    } else if (piece.kind == Piece::Kind::kAppendedFile) {
      turn_to({To::Kind::kAppendedFile, piece.text});
    } else if (piece.kind == Piece::Kind::kVariable && piece.variable == Variable::kStderr) {
      turn_to({To::Kind::kStandardError, ""});
    } else if (piece.kind == Piece::Kind::kVariable && piece.variable == Variable::kStdout) {
      turn_to({To::Kind::kStandardOutput, ""});
    } else if (piece.kind == Piece::Kind::kVariable && piece.variable == Variable::kOnError) {
      if (!outcome.fault) break;
    } else {
      text += value(piece, outcome);
    }
  }
  turn_to({});
}

}  // namespace h2park::cmd
