// Client: requests over one pool of HTTP/1.1 connections.
//
// One request is a fetch: redirects and retries are inside it. It is *answered* when its caller has all of
// the body that it wanted; it is *settled* when what was left of the body has been drained as well, at most
// DrainOptions::time later. The caller's next request may begin as soon as it is answered.
#pragma once

#include "base/task.hpp"
#include "client/counts.hpp"
#include "client/dialer.hpp"
#include "client/listener.hpp"
#include "client/options.hpp"
#include "client/record.hpp"
#include "client/request.hpp"
#include "net/reactor.hpp"

#include <functional>
#include <memory>

namespace h2park::client {

/// Thread: the reactor's.
class Client {
 public:
  using OnSettled = std::function<void(const Record&)>;

  /// Lifetime: reactor and dialer outlive the client.
  Client(net::Reactor& reactor, Dialer& dialer, const Options& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Ends when the request is answered or has failed. `on_settled` is called once, after that or just before
  /// it, unless the client is destroyed first. Lifetime: `listener` until the task ends; destroying the task
  /// gives the request up.
  Task<> fetch(Request request, ResponseListener& listener, OnSettled on_settled);

  /// Waits for what is still being drained, then closes every connection. No fetch may be under way.
  Task<> finish();

  /// Nobody wants to wait: every drain ends as if its time were over.
  void cut_drains();

  ClientCounts counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace h2park::client
