#include "cmd/get_write_out.hpp"

#include "get_records.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;
using records::failed_record;
using records::fresh_record;
using records::outcome_of;
using records::reused_record;

/// What goes to standard output; what goes elsewhere is marked.
std::string expanded(std::string_view format, const Outcome& outcome) {
  std::string all;
  WriteOut(format).expand(outcome, [&](const WriteOut::To& to, std::string_view text) {
    using Kind = WriteOut::To::Kind;
    if (to.kind == Kind::kStandardError) all += "(err)";
    if (to.kind == Kind::kFile) all += "(" + std::string(to.file) + ")";
    if (to.kind == Kind::kAppendedFile) all += "(>>" + std::string(to.file) + ")";
    all += text;
  });
  return all;
}
std::string expanded(std::string_view format, const client::Record& record) {
  return expanded(format, outcome_of(record));
}

TEST(WriteOut, ReadsEscapesAsCurlDoes) {
  EXPECT_EQ(expanded(R"(a\nb\rc\td\ze\\n%%f%x%)", fresh_record()), "a\nb\rc\td\\ze\\\\n%f%x%");
  EXPECT_EQ(expanded("\\", fresh_record()), "\\");
  EXPECT_EQ(expanded("%{http_code", fresh_record()), "%{http_code");
}

TEST(WriteOut, SaysNothingForAnUnknownVariable) {
  const WriteOut format("%{nope}%{nope}%{ http_code}");
  EXPECT_EQ(format.unknown(), (std::vector<std::string>{"nope", " http_code"}));
  EXPECT_EQ(expanded("a%{nope}b", fresh_record()), "ab");
}

TEST(WriteOut, WritesTheFactsOfAResponse) {
  EXPECT_EQ(expanded("%{http_code} %{response_code} %{http_version} %{scheme} %{method} %{content_type}",
                     fresh_record()),
            "200 200 1.1 HTTP GET text/plain");
  EXPECT_EQ(expanded("%{size_download} %{size_header} %{size_request} %{size_upload} %{speed_download}",
                     fresh_record()),
            "13 100 80 0 866");
  EXPECT_EQ(expanded("%{remote_ip} %{remote_port} %{local_ip} %{local_port}", fresh_record()),
            "127.0.0.1 80 127.0.0.1 40000");
  EXPECT_EQ(
      expanded("%{url} %{url_effective} %{urlnum} %{num_connects} %{num_redirects} %{exitcode}|%{errormsg}",
               fresh_record()),
      "example.org/a http://example.org/a 0 1 0 0|");
}

TEST(WriteOut, WritesTimesSinceTheStartInSeconds) {
  EXPECT_EQ(
      expanded(
          "%{time_namelookup} %{time_connect} %{time_appconnect} %{time_pretransfer} %{time_posttransfer} "
          "%{time_starttransfer} %{time_total} %{time_redirect}",
          fresh_record()),
      "0.001000 0.003000 0.000000 0.003000 0.006000 0.010000 0.015000 0.000000");
  client::Record secure = fresh_record();
  secure.url = "https://example.org/";
  secure.timings.secured = records::at(3500us);
  EXPECT_EQ(expanded("%{time_appconnect} %{scheme}", secure), "0.003500 HTTPS");
}

TEST(WriteOut, WritesNoughtForWhatDidNotHappenAsCurlDoes) {
  EXPECT_EQ(
      expanded("%{http_code}|%{http_version}|%{scheme}|%{time_connect}|%{time_starttransfer}|%{remote_ip}|"
               "%{remote_port}|%{exitcode}|%{errormsg}",
               failed_record()),
      "000|0||0.000000|0.000000||0|7|Failed to connect to example.org port 80");
  EXPECT_EQ(expanded("%{certs}|%{num_certs}|%{ftp_entry_path}|%{http_connect}|%{proxy_ssl_verify_result}|"
                     "%{redirect_url}|%{referer}|%{filename_effective}",
                     fresh_record()),
            "|0||000|0|||");
  client::Record tunnelled = fresh_record();
  tunnelled.proxy_status = 200;
  EXPECT_EQ(expanded("%{http_connect}", tunnelled), "200");
}

TEST(WriteOut, TellsNewFromReused) {
  constexpr std::string_view kFormat =
      "%{reused} %{conn_id} %{conn_idle_ms} %{conn_requests} %{reuse_miss_reason} %{drain_bytes} %{drain_ms} "
      "%{drain_result}";
  EXPECT_EQ(expanded(kFormat, fresh_record()), "0 1  1 first 0 0.000 complete");
  EXPECT_EQ(expanded(kFormat, reused_record()), "1 1 7.000 2  2000 1.500 drained");
  client::Record record = fresh_record();
  record.connection.miss = {client::MissReason::Kind::kClosed, client::CloseReason::kOverLimit};
  record.drain = {.result = client::DrainResult::kNotReusable, .close = client::CloseReason::kUntilClose};
  EXPECT_EQ(expanded("%{reuse_miss_reason} %{drain_result}", record), "over_limit not_reusable:until_close");
}

TEST(WriteOut, SplitsAddressesOfAllKinds) {
  client::Record record = fresh_record();
  record.connection.remote = "[fe80::1%eth0]:8443";
  EXPECT_EQ(expanded("%{remote_ip} %{remote_port}", record), "fe80::1%eth0 8443");
  record.connection.remote = "unix:/run/a:b.sock";
  EXPECT_EQ(expanded("%{remote_ip}|%{remote_port}", record), "|0");
}

TEST(WriteOut, DirectsItsOutput) {
  EXPECT_EQ(expanded("a%{stderr}b%{stdout}c", fresh_record()), "a(err)bc");
  EXPECT_EQ(expanded("a%output{f}b%output{>>g}c", fresh_record()), "a(f)b(>>g)c");
}

TEST(WriteOut, ShowsTheRestOnlyOnErrors) {
  EXPECT_EQ(expanded("a%{onerror}b", fresh_record()), "a");
  EXPECT_EQ(expanded("a%{onerror}b%{exitcode}", failed_record()), "ab7");
}

TEST(WriteOut, WritesFields) {
  http::Fields fields;
  fields.add("server", "x");
  fields.add("set-cookie", "a");
  fields.add("server2", "\"q\"");
  fields.add("set-cookie", "b");
  const client::Record record = fresh_record();
  Outcome outcome = outcome_of(record);
  outcome.fields = &fields;
  EXPECT_EQ(expanded("%header{Set-Cookie}|%header{none}|%{num_headers}", outcome), "a||4");
  EXPECT_EQ(expanded("%{header_json}", outcome),
            "{\"server\":[\"x\"],\n\"set-cookie\":[\"a\",\"b\"],\n\"server2\":[\"\\\"q\\\"\"]\n}");
  EXPECT_TRUE(WriteOut("%header{a}").wants_fields());
  EXPECT_TRUE(WriteOut("%{json}").wants_fields());
  EXPECT_FALSE(WriteOut("%{http_code}").wants_fields());
}

TEST(WriteOut, WritesAllVariablesAsJson) {
  const client::Record record = reused_record();
  const boost::json::object json = boost::json::parse(variables_json(outcome_of(record))).as_object();
  for (const VariableSpec& variable : variables()) {
    EXPECT_EQ(json.contains(variable.name), variable.in_json) << variable.name;
  }
  EXPECT_EQ(json.at("http_code").as_int64(), 200);
  EXPECT_EQ(json.at("drain_result").as_string(), "drained");
  EXPECT_TRUE(json.at("errormsg").is_null());
  EXPECT_DOUBLE_EQ(json.at("time_total").as_double(), 0.002);
}

TEST(Variables, AreFoundByNameAndHaveAValue) {
  const client::Record record = fresh_record();
  for (const VariableSpec& variable : variables()) {
    EXPECT_EQ(find_variable(variable.name)->id, variable.id);
    expanded("%{" + std::string(variable.name) + "}", record);
  }
  EXPECT_EQ(find_variable("HTTP_CODE"), nullptr);
}

}  // namespace
}  // namespace h2park::cmd
