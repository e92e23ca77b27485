#include "cmd/command_line.hpp"

#include <gtest/gtest.h>

namespace h2park::cmd {
namespace {

using Words = std::vector<std::string>;

std::string error_of(const Words& arguments) {
  const auto line = parse_command_line(arguments);
  if (line) return "";
  EXPECT_EQ(line.error().exit, Error::Exit::kUsage);
  EXPECT_EQ(line.error().message.find('\n'), std::string::npos);
  return line.error().message;
}

Values values_of(const Words& arguments) {
  auto line = parse_command_line(arguments);
  EXPECT_TRUE(line) << line.error().message;
  return line->values;
}

TEST(CommandLine, FindsTheCommand) {
  EXPECT_EQ(parse_command_line({"serve"})->command->name, "serve");
  EXPECT_EQ(parse_command_line({"stat"})->command->name, "stat");
  EXPECT_EQ(parse_command_line({"get", "stat"})->command->name, "get");
}

TEST(CommandLine, ReadsAllWaysToWriteAValue) {
  for (const Words& words : {Words{"serve", "--threads", "2"}, Words{"serve", "--threads=2"},
                             Words{"serve", "-t", "2"}, Words{"serve", "-t2"}}) {
    EXPECT_EQ(values_of(words).text("threads"), "2");
  }
}

TEST(CommandLine, FallsBackToTheTable) {
  const Values values = values_of({"serve"});
  EXPECT_EQ(values.text("idle-timeout"), "3m");
  EXPECT_EQ(values.text("cert"), "");
  EXPECT_FALSE(values.given("idle-timeout"));
}

TEST(CommandLine, KeepsRepeatedValuesInOrder) {
  const Values values = values_of({"serve", "--listen", "[::1]:1", "-l", "unix:/a", "--listen=2"});
  EXPECT_EQ(values.all("listen"), (Words{"[::1]:1", "unix:/a", "2"}));
}

TEST(CommandLine, ReadsFlagsAndArguments) {
  EXPECT_TRUE(values_of({"serve", "--self-signed"}).given("self-signed"));
  EXPECT_EQ(values_of({"stat", "unix:/s", "-f", "json"}).text("ADDR"), "unix:/s");
  EXPECT_EQ(values_of({"stat"}).text("ADDR"), "127.0.0.1:8081");
}

TEST(CommandLine, TakesValuesThatLookLikeLists) {
  EXPECT_EQ(values_of({"stat", "[a,b]"}).text("ADDR"), "[a,b]");
  EXPECT_EQ(values_of({"serve", "--listen", "[a,b]"}).all("listen"), Words{"[a,b]"});
  EXPECT_EQ(values_of({"serve", "--root", "a b"}).text("root"), "a b");
}

TEST(CommandLine, TakesACommandsNameAsAValue) {
  EXPECT_EQ(values_of({"serve", "--root", "stat"}).text("root"), "stat");
}

TEST(CommandLine, TakesAnyTextWhereTheTableSaysSo) {
  EXPECT_EQ(values_of({"get", "-d", "", "u"}).all("data"), Words{""});
  EXPECT_EQ(values_of({"get", "-d", "--x", "u"}).all("data"), Words{"--x"});
  EXPECT_TRUE(values_of({"get", "-A", "", "u"}).given("user-agent"));
  EXPECT_EQ(error_of({"get", "-o", "", "u"}), "get: --output: the value is empty, FILE is expected");
}

TEST(CommandLine, TakesArgumentsBetweenOptions) {
  const Values values = values_of({"get", "a", "-s", "b", "-o", "f", "-4", "[::1]:1/x", "-XPUT"});
  EXPECT_EQ(values.all("URL"), (Words{"a", "b", "[::1]:1/x"}));
  EXPECT_EQ(values.text("request"), "PUT");
  EXPECT_TRUE(values.given("ipv4"));
}

TEST(CommandLine, TakesFlagsTogether) {
  const Values values = values_of({"get", "-sSko", "f", "-vvL", "u"});
  for (const char* flag : {"silent", "show-error", "insecure", "verbose", "location"})
    EXPECT_TRUE(values.given(flag));
  EXPECT_EQ(values.text("output"), "f");
  EXPECT_EQ(values.count("verbose"), 2U);
  EXPECT_EQ(values.count("head"), 0U);
}

TEST(CommandLine, KnowsTheOrderOfDifferentOptions) {
  const Values values = values_of({"get", "-o", "one", "u", "-O", "-d", "x", "v", "--output=two", "w"});
  std::string order;
  for (const auto& [option, value] : values.in_order({"output", "remote-name"})) {
    order += std::string(option) + "=" + value + " ";
  }
  EXPECT_EQ(order, "output=one remote-name= output=two ");
}

TEST(CommandLine, AnswersHelpAndVersionEverywhere) {
  for (const char* flag : {"--help", "-h"}) {
    EXPECT_TRUE(parse_command_line({flag})->help);
    EXPECT_TRUE(parse_command_line({"serve", flag})->help);
    EXPECT_EQ(parse_command_line({"stat", flag})->command->name, "stat");
    EXPECT_TRUE(parse_command_line({"serve", "--bogus", flag})->help);
  }
  for (const char* flag : {"--version", "-V"}) {
    EXPECT_TRUE(parse_command_line({flag})->version);
    EXPECT_TRUE(parse_command_line({"serve", flag})->version);
  }
}

TEST(CommandLine, WantsACommand) {
  EXPECT_EQ(error_of({}), "no command given (try 'h2park --help')");
  EXPECT_EQ(error_of({"--"}), "no command given (try 'h2park --help')");
}

TEST(CommandLine, NamesAnUnknownCommand) {
  EXPECT_EQ(error_of({"bogus"}), "unknown command 'bogus'");
  EXPECT_EQ(error_of({"serv"}), "unknown command 'serv' (did you mean serve?)");
  EXPECT_EQ(error_of({"-x"}), "unknown option '-x'");
}

TEST(CommandLine, NamesAnUnknownOption) {
  EXPECT_EQ(error_of({"serve", "--bogus"}), "serve: unknown option '--bogus'");
  EXPECT_EQ(error_of({"serve", "--lisen=1"}), "serve: unknown option '--lisen' (did you mean --listen?)");
  EXPECT_EQ(error_of({"stat", "--listen", "1"}), "stat: unknown option '--listen'");
}

TEST(CommandLine, NamesAnArgumentTooMany) {
  EXPECT_EQ(error_of({"serve", "x"}), "serve: unexpected argument 'x'");
  EXPECT_EQ(error_of({"serve", "--", "x"}), "serve: unexpected argument 'x'");
  EXPECT_EQ(error_of({"serve", "stat"}), "serve: unexpected argument 'stat'");
  EXPECT_EQ(error_of({"stat", "1", "2"}), "stat: unexpected argument '2'");
}

TEST(CommandLine, NamesAMissingValue) {
  EXPECT_EQ(error_of({"serve", "--threads"}), "serve: --threads: needs a value, N");
  EXPECT_EQ(error_of({"serve", "-t"}), "serve: --threads: needs a value, N");
  EXPECT_EQ(error_of({"serve", "--cert", "--key", "k"}), "serve: --cert: needs a value, FILE");
  EXPECT_EQ(error_of({"serve", "--listen", "--help"}), "serve: --listen: needs a value, HOST:PORT");
}

TEST(CommandLine, NamesAnEmptyValue) {
  EXPECT_EQ(error_of({"serve", "--cert=", "x"}), "serve: --cert: the value is empty, FILE is expected");
  EXPECT_EQ(error_of({"serve", "--cert", ""}), "serve: --cert: the value is empty, FILE is expected");
  EXPECT_EQ(error_of({"stat", ""}), "stat: ADDR: the value is empty, HOST:PORT is expected");
}

TEST(CommandLine, NamesAFlagWithAValue) {
  EXPECT_EQ(error_of({"serve", "--self-signed=no"}), "serve: --self-signed: takes no value");
  EXPECT_EQ(error_of({"serve", "--self-signed="}), "serve: --self-signed: takes no value");
  EXPECT_EQ(error_of({"serve", "--help=no"}), "serve: --help: takes no value");
}

TEST(CommandLine, RefusesARepeatedOption) {
  EXPECT_EQ(error_of({"serve", "--park=on", "--park=off"}), "serve: --park: given more than once");
}

TEST(CommandLine, NamesTheChoices) {
  EXPECT_EQ(error_of({"serve", "--park=maybe"}), "serve: --park: 'maybe' is not one of on, off");
  EXPECT_EQ(error_of({"stat", "-fxml"}), "stat: --format: 'xml' is not one of text, json, prom");
}

TEST(CommandLine, TakesACommandsOptionsBehindItOnly) {
  EXPECT_EQ(error_of({"--park=off", "serve"}), "unknown option '--park'");
}

/// Whatever is cut out of a long command line, the answer is one line or a result, never an exception.
TEST(CommandLine, SurvivesEveryCut) {
  const Words all{"serve", "--listen", "[::]:1", "-t",  "2",    "--cert", "=",
                  "--",    "-",        "--=",    "-t=", "stat", "--park="};
  for (std::size_t from = 0; from < all.size(); ++from) {
    for (std::size_t to = from; to <= all.size(); ++to) {
      error_of(Words(all.begin() + static_cast<std::ptrdiff_t>(from),
                     all.begin() + static_cast<std::ptrdiff_t>(to)));
    }
  }
}

}  // namespace
}  // namespace h2park::cmd
