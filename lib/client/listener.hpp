// ResponseListener: gets a response while it comes.
#pragma once

#include "http1/response_head.hpp"

#include <string_view>

namespace h2park::client {

/// Lifetime of the arguments: the call. Thread: the client's. Calls come in this order for every exchange; a
/// redirect that is followed, and a retry, begin again with on_request().
class ResponseListener {
 public:
  /// The request's head as it is sent.
  virtual void on_request(std::string_view text) { static_cast<void>(text); }
  virtual void on_informational(const http1::ResponseHead& head) { static_cast<void>(head); }
  /// `followed`: it is a redirect and its body will not be shown.
  virtual void on_head(const http1::ResponseHead& head, bool followed) {
    static_cast<void>(head);
    static_cast<void>(followed);
  }
  virtual void on_body(std::string_view bytes) { static_cast<void>(bytes); }
  virtual void on_trailer(std::string_view name, std::string_view value) {
    static_cast<void>(name);
    static_cast<void>(value);
  }
  /// What happened besides, for people: "Connected to ...", "Re-using connection 3", the certificate.
  /// Only called when wants_notes().
  virtual void on_note(std::string_view text) { static_cast<void>(text); }
  virtual bool wants_notes() const { return false; }

 protected:
  ~ResponseListener() = default;
};

}  // namespace h2park::client
