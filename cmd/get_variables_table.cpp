#include "cmd/get_variables.hpp"

#include <algorithm>
#include <array>

namespace h2park::cmd {
namespace {

constexpr auto kVariables = std::to_array<VariableSpec>({
    {Variable::kCerts, "certs", "Empty: certificates are shown by -v."},
    {Variable::kConnectionId, "conn_id",
     "The connection's number, from 1 over the run; 0 if there was none."},
    {Variable::kConnectionIdle, "conn_idle_ms",
     "Milliseconds that the connection had been idle before this request; empty for a new one."},
    {Variable::kConnectionRequests, "conn_requests", "Requests made on the connection, this one included."},
    {Variable::kContentType, "content_type", "The Content-Type field, or empty."},
    {Variable::kDrainBytes, "drain_bytes", "Bytes of the unread body that were read and thrown away."},
    {Variable::kDrainTime, "drain_ms", "Milliseconds that it took."},
    {Variable::kDrainResult, "drain_result",
     "What became of the rest of the body; see DRAIN RESULTS. Empty if there was no response."},
    {Variable::kErrorMessage, "errormsg", "The error message, or empty."},
    {Variable::kExitCode, "exitcode", "The exit code of this request."},
    {Variable::kFile, "filename_effective", "The file that the body went to."},
    {Variable::kFtpEntryPath, "ftp_entry_path", "Empty: there is no FTP."},
    {Variable::kHeaderJson, "header_json",
     "The fields of the last response as a JSON object of arrays, names in lower case.", false},
    {Variable::kHttpCode, "http_code", "The status of the last response; 000 if there was none."},
    {Variable::kHttpConnect, "http_connect",
     "The status of the proxy's answer to the last CONNECT; 000 if there was none."},
    {Variable::kHttpVersion, "http_version", "1.1, or 1 for HTTP/1.0; 0 if there was no response."},
    {Variable::kJson, "json",
     "A JSON object with all variables but those that are none of a request's values.", false},
    {Variable::kLocalIp, "local_ip", "The own address of the connection."},
    {Variable::kLocalPort, "local_port", "The own port of the connection."},
    {Variable::kMethod, "method", "The method of the last request."},
    {Variable::kNumCerts, "num_certs", "0: certificates are shown by -v."},
    {Variable::kNumConnects, "num_connects", "New connections made for this request."},
    {Variable::kNumHeaders, "num_headers", "Fields of the last response."},
    {Variable::kNumRedirects, "num_redirects", "Redirects that were followed."},
    {Variable::kNumRetries, "num_retries", "How often --retry made the request again."},
    {Variable::kOnError, "onerror", "What follows is only shown if the request failed.", false},
    {Variable::kProxyVerifyResult, "proxy_ssl_verify_result", "0: proxies are spoken to in plain text."},
    {Variable::kRedirectUrl, "redirect_url", "Where a redirect that was not followed points."},
    {Variable::kReferer, "referer", "The Referer field that was sent, or empty."},
    {Variable::kRemoteIp, "remote_ip", "The peer's address."},
    {Variable::kRemotePort, "remote_port", "The peer's port."},
    {Variable::kResponseCode, "response_code", "The same as http_code."},
    {Variable::kMissReason, "reuse_miss_reason",
     "Why the request was made on a new connection; see REUSE. Empty if it was not."},
    {Variable::kReused, "reused", "1 if the connection had served a request before, else 0."},
    {Variable::kScheme, "scheme", "HTTP or HTTPS; empty if no connection was made."},
    {Variable::kSizeDownload, "size_download", "Bytes of the body, as they came."},
    {Variable::kSizeHeader, "size_header", "Bytes of all response heads."},
    {Variable::kSizeRequest, "size_request", "Bytes of the heads of all requests."},
    {Variable::kSizeUpload, "size_upload", "Bytes of the request's body."},
    {Variable::kSpeedDownload, "speed_download", "Bytes of the body per second."},
    {Variable::kSpeedUpload, "speed_upload", "Bytes of the request's body per second."},
    {Variable::kVerifyResult, "ssl_verify_result",
     "0 if the peer's certificate is trusted; OpenSSL's number."},
    {Variable::kStderr, "stderr", "What follows goes to standard error.", false},
    {Variable::kStdout, "stdout", "What follows goes to standard output.", false},
    {Variable::kTimeAppConnect, "time_appconnect", "Seconds until TLS was ready; 0 without a handshake."},
    {Variable::kTimeConnect, "time_connect", "Seconds until TCP was connected."},
    {Variable::kTimeNameLookup, "time_namelookup", "Seconds until the name was resolved."},
    {Variable::kTimePosttransfer, "time_posttransfer", "Seconds until the request was sent."},
    {Variable::kTimePretransfer, "time_pretransfer", "Seconds until the request had its connection."},
    {Variable::kTimeRedirect, "time_redirect", "Seconds spent on redirects before the last request."},
    {Variable::kTimeStartTransfer, "time_starttransfer", "Seconds until the first byte of the response."},
    {Variable::kTimeTotal, "time_total", "Seconds until the caller was done with the body."},
    {Variable::kUrl, "url", "The URL as it was given."},
    {Variable::kUrlEffective, "url_effective", "The URL of the last request."},
    {Variable::kUrlNumber, "urlnum", "The number of the URL on the command line, from 0."},
});

static_assert(std::ranges::is_sorted(kVariables, {}, &VariableSpec::name));

}  // namespace

std::span<const VariableSpec> variables() { return kVariables; }

const VariableSpec* find_variable(std::string_view name) {
  const auto found = std::ranges::lower_bound(kVariables, name, {}, &VariableSpec::name);
  return found != kVariables.end() && found->name == name ? &*found : nullptr;
}

}  // namespace h2park::cmd
