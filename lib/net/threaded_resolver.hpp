// ThreadedResolver: the system's own name service (getaddrinfo: hosts file, DNS, whatever nsswitch names),
// asked on threads beside the reactor's.
//
// 1. A literal address is answered without a thread.
// 2. One thread per name in flight: who asks for a name that is being looked up waits for the same answer,
//    and a name whose server is silent holds up no other.
// 3. getaddrinfo() cannot be cancelled. So nobody waits for such a thread: not the end of a request, of the
//    resolver or of the process. It keeps what it needs, and when the answer comes too late it is dropped.
#pragma once

#include "net/reactor.hpp"
#include "net/resolver.hpp"

#include <functional>
#include <memory>
#include <string>

namespace h2park::net {

/// Thread: the reactor's. Lifetime: within the reactor's; may be destroyed inside a callback.
class ThreadedResolver final : public Resolver {
 public:
  /// May wait as long as it likes. Thread: any, several at once.
  using Lookup = std::function<Result<Addresses>(const std::string& host, Family family)>;

  explicit ThreadedResolver(Reactor& reactor) : ThreadedResolver(reactor, &ask_system) {}
  /// With another name service.
  ThreadedResolver(Reactor& reactor, Lookup lookup);
  ~ThreadedResolver() override;
  ThreadedResolver(const ThreadedResolver&) = delete;
  ThreadedResolver& operator=(const ThreadedResolver&) = delete;

  std::shared_ptr<void> resolve(const std::string& host, std::uint16_t port, Family family,
                                OnResolved on_resolved) override;

  /// Names in flight: threads, less those whose answer nobody will hear.
  std::size_t lookups() const;

 private:
  class Waiters;
  static Result<Addresses> ask_system(const std::string& host, Family family);

  const Lookup lookup_;
  const std::shared_ptr<Waiters> waiters_;  // shared with answers on their way
};

}  // namespace h2park::net
