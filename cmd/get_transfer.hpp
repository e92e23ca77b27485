// Transfer: what becomes of a response while it comes: heads, body, what -v shows.
#pragma once

#include "client/content_decoder.hpp"
#include "client/listener.hpp"
#include "cmd/get_outcome.hpp"
#include "cmd/get_output.hpp"
#include "cmd/get_settings.hpp"
#include "http/fields.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::cmd {

/// What is kept of one request until it is settled.
struct Pending {
  std::uint64_t number = 0;  ///< of the request, over the run
  std::uint64_t target = 0;  ///< index of its URL
  TimePoint due{};
  TimePoint begun{};
  std::optional<http::Fields> fields;  ///< of the last response, if wanted
  std::optional<Fault> fault;          ///< of writing or decoding the body
};

/// One worker's; for one request after another. Thread: the reactor's.
class Transfer final : public client::ResponseListener {
 public:
  struct Shared {
    const GetSettings& settings;
    Output& standard_output;
    bool keep_fields;                           ///< somebody wants Pending::fields
    std::function<void(std::string_view)> say;  ///< writes to standard error
  };

  /// `on_broken`: the body can't be written; called once per request, from inside a callback of the client.
  Transfer(const Shared& shared, std::function<void()> on_broken)
      : shared_(shared), on_broken_(std::move(on_broken)) {}

  void begin(const GetTarget& target, std::shared_ptr<Pending> pending);
  /// The request is answered; `complete`: with a whole response.
  void end(bool complete);
  /// Of the request between begin() and end(); null otherwise.
  const Pending* pending() const { return pending_.get(); }

  void on_request(std::string_view text) override;
  void on_informational(const http1::ResponseHead& head) override;
  void on_head(const http1::ResponseHead& head, bool followed) override;
  void on_body(std::string_view bytes) override;
  void on_trailer(std::string_view name, std::string_view value) override;
  void on_note(std::string_view text) override;
  bool wants_notes() const override { return shared_.settings.verbose; }

 private:
  void say_lines(std::string_view prefix, std::string_view text) const;
  void show_head(const http1::ResponseHead& head);
  void write(std::string_view bytes);
  void begin_decoding(const http::Fields& fields);
  void end_decoding();
  void broken(Fault fault);

  const Shared& shared_;
  const std::function<void()> on_broken_;
  const GetTarget* target_ = nullptr;
  std::shared_ptr<Pending> pending_;
  std::map<std::uint64_t, BodyFile> files_;        // by target
  BodyFile* file_ = nullptr;                       // the target's, if it has one
  std::optional<client::ContentDecoder> decoder_;  // --compressed, and there is something to undo
  bool followed_ = false;                          // the last head was a redirect's
  bool hidden_ = false;                            // --fail, and the status is that of an error
  bool written_ = false;                           // something, in this attempt
};

}  // namespace h2park::cmd
