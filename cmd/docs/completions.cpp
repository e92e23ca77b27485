#include "cmd/docs/completions.hpp"

namespace h2park::cmd::docs {

std::string brief(const OptionSpec& option) {
  std::string_view text = option.help;
  text = text.substr(0, text.find(". "));
  if (text.ends_with('.')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace h2park::cmd::docs
