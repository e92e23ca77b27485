// What a client sends on a fresh connection, made up: for sessions that serve as samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace h2park::http2 {

struct SampleClient {
  std::string_view authority;
  std::string_view path;
  std::string_view user_agent;
  std::string_view accept;
  std::string_view cookie;      ///< "": none
  std::uint32_t stream_window;  ///< SETTINGS_INITIAL_WINDOW_SIZE
  std::int32_t connection_window;
};

/// The ACK of the server's SETTINGS, which a client sends once it has seen them.
inline constexpr std::string_view kSampleSettingsAck("\0\0\0\4\1\0\0\0\0", 9);

struct SampleBytes {
  std::string opening;       ///< preface, SETTINGS, WINDOW_UPDATE and a GET (RFC 9113 3.4)
  std::string next_request;  ///< the same GET again, by reference to what the first one left in the tables
};

/// Errors: std::bad_alloc.
SampleBytes sample_client_bytes(const SampleClient& client);

}  // namespace h2park::http2
