// ClientHouse: a Client on a ManualReactor and a ScriptedOrigin, and the words with which tests use them.
#pragma once

#include "client/client.hpp"
#include "support/scripted_origin.hpp"

#include <memory>
#include <string>
#include <vector>

namespace h2park::test {

/// One fetch: what its listener got, and its record once it is settled.
class Fetched final : public client::ResponseListener {
 public:
  bool is_answered() const { return task.done(); }
  /// Requires: settled.
  const client::Record& operator*() const { return *record; }
  const client::Record* operator->() const { return &*record; }

  Task<> task;                           ///< of a fetch that was begun by itself
  std::optional<client::Record> record;  ///< once settled
  int settled = 0;                       ///< how often it was told
  std::string body;
  std::vector<unsigned> statuses;  ///< of every head, 1xx too
  std::vector<std::string> requests;
  std::string trailers;
  std::string notes;

  client::Client::OnSettled on_settled() {
    return [this](const client::Record& settled_record) {
      ++settled;
      record = settled_record;
    };
  }

 private:
  void on_request(std::string_view text) override { requests.emplace_back(text); }
  void on_informational(const http1::ResponseHead& head) override { statuses.push_back(head.status); }
  void on_head(const http1::ResponseHead& head, bool) override { statuses.push_back(head.status); }
  void on_body(std::string_view bytes) override { body += bytes; }
  void on_trailer(std::string_view name, std::string_view value) override {
    trailers.append(name).append("=").append(value).append(";");
  }
  void on_note(std::string_view text) override { notes.append(text).append("\n"); }
  bool wants_notes() const override { return true; }
};

class ClientHouse {
 public:
  explicit ClientHouse(ScriptedOrigin::Script script, const client::Options& options = {});
  ~ClientHouse();

  /// Begins a fetch; it goes on as the reactor is turned.
  Fetched& begin(client::Request request);
  Fetched& begin(const std::string& method = "GET", std::uint64_t read_limit = client::kReadAll);
  /// Turns until it is settled, letting time pass as needed; fails the test if that takes more than a minute
  /// of it.
  const client::Record& settle(Fetched& fetched);
  /// begin(), turned until answered, whatever time that takes.
  Fetched& fetch(const std::string& method = "GET", std::uint64_t read_limit = client::kReadAll);
  /// `count` fetches, each begun at the very moment when the one before is answered.
  Task<> fetch_in_a_row(int count, std::uint64_t read_limit);
  void turn() { reactor.turn(); }
  void advance(Duration by) { reactor.advance(by); }
  client::ClientCounts counts() const { return client->counts(); }
  std::uint64_t closed(client::CloseReason reason) const {
    return counts().closed[static_cast<std::size_t>(reason)];
  }
  std::uint64_t drains(client::DrainResult result) const {
    return counts().drains[static_cast<std::size_t>(result)];
  }

  ManualReactor reactor;
  ScriptedOrigin origin;
  std::list<Fetched> fetches;
  std::unique_ptr<client::Client> client;
};

/// "HTTP/1.1 200 OK" with Content-Length and a body of that many letters.
std::string response_of(std::size_t bytes, const std::string& fields = "");
/// The same in chunks of at most 16 KiB.
std::string chunked_response_of(std::size_t bytes, const std::string& trailers = "");

client::Request request_for(const std::string& url, const std::string& method = "GET");

}  // namespace h2park::test
