// TokenGuard: whether a request shows the token that the statistics are guarded by.
//
// Two ways to show it:
//   Authorization: Bearer TOKEN              what scrapers and `h2park stat` send (RFC 6750 2.1);
//   Authorization: Basic base64(ANY:TOKEN)   what a browser sends once a person has typed the token as the
//                                            password (RFC 7617); the user name does not matter.
// A browser can't send the first by itself. A query (?token=...) would let it too, but what stands in an
// address ends up in histories, bookmarks, proxies' logs and Referer fields. Basic credentials stay with the
// browser, which sends them to this origin only, also with what the page asks for later. A foreign page may
// cause such a request, but is not allowed to read the answer, and no request changes anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace h2park::readout {

/// Thread: immutable.
class TokenGuard {
 public:
  /// "": everybody is let in.
  explicit TokenGuard(std::string token) : token_(std::move(token)) {}

  bool open() const { return token_.empty(); }
  /// `authorization`: the field's value, "" if it is missing. How long it takes tells the token's length at
  /// most.
  bool admits(std::string_view authorization) const;
  /// The values of the WWW-Authenticate fields of a 401 (RFC 9110 11.6.1). A client that takes pages is a
  /// browser and is asked for a password too; others would only be confused by it.
  static std::vector<std::string> challenges(std::string_view authorization, bool takes_pages);

 private:
  std::string token_;
};

}  // namespace h2park::readout
