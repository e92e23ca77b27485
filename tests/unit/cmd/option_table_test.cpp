#include "cmd/option_table.hpp"

#include "cmd/help.hpp"
#include "stats/process_reading.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace h2park::cmd {
namespace {

std::vector<const CommandSpec*> everything() {
  std::vector<const CommandSpec*> all{&program()};
  for (const CommandSpec& command : commands()) all.push_back(&command);
  return all;
}

TEST(OptionTable, HasNoNameOrLetterTwice) {
  for (const CommandSpec* command : everything()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const OptionSpec& option : command->options) {
      EXPECT_TRUE(names.insert(option.name).second) << option.name;
      if (option.letter == 0) continue;
      EXPECT_TRUE(letters.insert(option.letter).second) << option.letter;
    }
  }
}

TEST(OptionTable, ExplainsEverything) {
  for (const CommandSpec* command : everything()) {
    EXPECT_FALSE(command->summary.empty());
    EXPECT_FALSE(command->exit_codes.empty());
    EXPECT_FALSE(command->examples.empty());
    for (const OptionSpec& option : command->options) {
      EXPECT_TRUE(option.help.ends_with('.')) << option.name;
      EXPECT_FALSE(option.section.empty()) << option.name;
    }
  }
}

TEST(OptionTable, HasFallbacksAmongTheChoices) {
  for (const CommandSpec* command : everything()) {
    for (const OptionSpec& option : command->options) {
      if (option.choices.empty()) continue;
      EXPECT_EQ(std::ranges::count(option.choices, option.fallback), 1) << option.name;
      std::string joined;
      for (const std::string_view choice : option.choices)
        joined += (joined.empty() ? "" : "|") + std::string(choice);
      EXPECT_EQ(option.value, joined);
    }
  }
}

TEST(OptionTable, KeepsSectionsTogether) {
  for (const CommandSpec* command : everything()) {
    std::vector<std::string_view> changes;
    for (const OptionSpec& option : command->options) {
      if (changes.empty() || changes.back() != option.section) changes.push_back(option.section);
    }
    EXPECT_EQ(changes, command->sections());
  }
}

/// By name, what the manual says of it.
std::map<std::string, std::string> documented_fields() {
  std::map<std::string, std::string> documented;
  const CommandSpec command = stat_command();
  for (const Section& section : command.more) {
    for (const Text& row : section.rows) documented[row.term] = row.meaning;
  }
  return documented;
}

void want_documented(const stats::KnownFields& fields) {
  const auto documented = documented_fields();
  for (const stats::FieldInfo* field : fields) {
    if (field == &stats::time_field()) continue;
    const std::string group = field->group.empty() ? "" : std::string(field->group) + ".";
    const auto found = documented.find(group + std::string(field->name));
    ASSERT_NE(found, documented.end()) << group << field->name;
    EXPECT_NE(found->second.find(field->metric), std::string::npos) << found->second;
  }
}

TEST(OptionTable, DocumentsEveryFieldOfTheStatisticsAndItsMetric) { want_documented(stats::server_fields()); }

TEST(OptionTable, DocumentsEveryFieldOfAProcess) { want_documented(stats::process_fields()); }

TEST(OptionTable, MarksAValueThatMayBeLeftOut) {
  EXPECT_EQ(usage_of(*find_command("stat")->find("watch")), "-w, --watch [DUR]");
  for (const CommandSpec* command : everything()) {
    for (const OptionSpec& option : command->options) {
      EXPECT_EQ(option.value.starts_with('['), !option.bare.empty()) << option.name;
    }
  }
}

TEST(OptionTable, WritesUsageAsOneTypesIt) {
  EXPECT_EQ(usage_of(*find_command("serve")->find("park")), "--park=on|off");
  EXPECT_EQ(usage_of(*find_command("serve")->find("listen")), "-l, --listen HOST:PORT");
  EXPECT_EQ(usage_of(*find_command("serve")->find("self-signed")), "--self-signed");
  EXPECT_EQ(usage_of(*find_command("stat")->find("ADDR")), "ADDR");
  EXPECT_EQ(find_command("stat")->synopsis(), "[OPTIONS] [ADDR]");
}

TEST(Help, ShowsEveryOptionWithinEightyColumns) {
  for (const CommandSpec* command : everything()) {
    const std::string text = help_text(*command);
    for (const OptionSpec& option : command->options) {
      EXPECT_NE(text.find("\n  " + usage_of(option) + "\n"), std::string::npos) << option.name;
      EXPECT_NE(text.find(std::string(option.fallback)), std::string::npos) << option.name;
    }
    std::size_t column = 0;
    for (const char c : text) {
      column = c == '\n' ? 0 : column + 1;
      EXPECT_LE(column, 80U) << command->full_name();
    }
    EXPECT_TRUE(text.ends_with('\n'));
  }
}

TEST(Help, ListsTheCommands) {
  const std::string text = help_text(program());
  for (const CommandSpec& command : commands()) {
    EXPECT_NE(text.find("\n  " + std::string(command.name) + " "), std::string::npos);
  }
}

TEST(Wrapped, BreaksBetweenWordsOnly) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("extraordinary", 2, 9), "  extraordinary\n");
  EXPECT_EQ(wrapped("", 2, 9), "  \n");
}

}  // namespace
}  // namespace h2park::cmd
