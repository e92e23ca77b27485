// The variables of `get -w`: curl's, and those about reuse. One list, for the man page and for the expansion.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace h2park::cmd {

enum class Variable : std::uint8_t {
  kCerts,
  kConnectionId,
  kConnectionIdle,
  kConnectionRequests,
  kContentType,
  kDrainBytes,
  kDrainTime,
  kDrainResult,
  kErrorMessage,
  kExitCode,
  kFile,
  kFtpEntryPath,
  kHeaderJson,
  kHttpCode,
  kHttpConnect,
  kHttpVersion,
  kJson,
  kLocalIp,
  kLocalPort,
  kMethod,
  kNumCerts,
  kNumConnects,
  kNumHeaders,
  kNumRedirects,
  kNumRetries,
  kOnError,
  kProxyVerifyResult,
  kRedirectUrl,
  kReferer,
  kRemoteIp,
  kRemotePort,
  kResponseCode,
  kMissReason,
  kReused,
  kScheme,
  kSizeDownload,
  kSizeHeader,
  kSizeRequest,
  kSizeUpload,
  kSpeedDownload,
  kSpeedUpload,
  kVerifyResult,
  kStderr,
  kStdout,
  kTimeAppConnect,
  kTimeConnect,
  kTimeNameLookup,
  kTimePosttransfer,
  kTimePretransfer,
  kTimeRedirect,
  kTimeStartTransfer,
  kTimeTotal,
  kUrl,
  kUrlEffective,
  kUrlNumber,
};

struct VariableSpec {
  Variable id;
  std::string_view name;
  std::string_view help;
  /// Stands in %{json}: all but those that direct the output.
  bool in_json = true;
};

/// In alphabetical order, which is %{json}'s.
std::span<const VariableSpec> variables();
/// Null if there is none of that name.
const VariableSpec* find_variable(std::string_view name);

}  // namespace h2park::cmd
