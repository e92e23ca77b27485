// WriteOut: the format of --write-out, taken apart once and written after each request.
#pragma once

#include "cmd/get_outcome.hpp"
#include "cmd/get_variables.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

class WriteOut {
 public:
  /// By curl's rules: an unknown variable is written as nothing; `unknown` collects the names, once each.
  explicit WriteOut(std::string_view format);

  bool empty() const { return pieces_.empty(); }
  const std::vector<std::string>& unknown() const { return unknown_; }
  /// Somebody has to keep the fields of the responses.
  bool wants_fields() const { return wants_fields_; }

  /// Where a stretch of text goes.
  struct To {
    enum class Kind : std::uint8_t { kStandardOutput, kStandardError, kFile, kAppendedFile };
    Kind kind = Kind::kStandardOutput;
    std::string_view file;
  };
  void expand(const Outcome& outcome,
              const std::function<void(const To& to, std::string_view text)>& write) const;

 private:
  struct Piece {
    enum class Kind : std::uint8_t { kText, kVariable, kField, kFile, kAppendedFile };
    Kind kind = Kind::kText;
    std::string text;  // or a name
    Variable variable{};
  };

  void add_text(std::string_view text);
  void add_variable(std::string_view name);
  std::string_view take_escape(std::string_view rest);
  std::string_view take_percent(std::string_view rest);
  static std::string value(const Piece& piece, const Outcome& outcome);

  std::vector<Piece> pieces_;
  std::vector<std::string> unknown_;
  bool wants_fields_ = false;
};

/// A variable's value, as --write-out writes it.
std::string variable_text(Variable variable, const Outcome& outcome);
/// %{json} and %{header_json}.
std::string variables_json(const Outcome& outcome);
std::string fields_json(const http::Fields& fields);

}  // namespace h2park::cmd
