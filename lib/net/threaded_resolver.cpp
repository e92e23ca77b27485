#include "net/threaded_resolver.hpp"

#include <arpa/inet.h>

#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace h2park::net {
namespace {

/// What getaddrinfo() takes as an address, the old short forms of IPv4 ("127.1") among it. A name has no
/// colon.
bool is_literal(const std::string& host) {
  if (host.find(':') != std::string::npos) return true;
  in_addr ignored{};
  return host.find_first_not_of("0123456789abcdefABCDEFxX.") == std::string::npos &&
         ::inet_aton(host.c_str(), &ignored) != 0;
}

std::string without_brackets(const std::string& host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

/// Who waits for which name. Thread: the reactor's; post() from any.
class ThreadedResolver::Waiters : public std::enable_shared_from_this<Waiters> {
 public:
  struct Request {
    std::uint16_t port;
    OnResolved on_resolved;
  };
  using Key = std::pair<std::string, Family>;

  explicit Waiters(Reactor& reactor) : reactor_(&reactor) {}

  /// True: the first for this key.
  bool add(const Key& key, const std::shared_ptr<Request>& request) {
    const auto [entry, first] = by_key_.try_emplace(key);
    entry->second.push_back(request);
    return first;
  }

  void answer(const Key& key, const Result<Addresses>& result) {
    const auto entry = by_key_.extract(key);
    if (entry.empty()) return;
    // A callback may end any request, and the resolver.
    for (const auto& waiter : entry.mapped()) {
      if (const auto request = waiter.lock()) tell(*request, result);
    }
  }

  /// The lookup's answer, from its thread. After close() nobody hears it.
  void post(Key key, Result<Addresses> result) {
    const std::lock_guard lock(mutex_);
    if (reactor_ == nullptr) return;
    reactor_->post([self = shared_from_this(), key = std::move(key), result = std::move(result)] {
      self->answer(key, result);
    });
  }

  void close() {
    by_key_.clear();
    const std::lock_guard lock(mutex_);
    reactor_ = nullptr;
  }

  std::size_t keys() const { return by_key_.size(); }

 private:
  static void tell(Request& request, const Result<Addresses>& result) {
    // Moved out: the callback may let go of the handle.
    OnResolved call = std::move(request.on_resolved);
    if (!result) return call(std::unexpected(result.error()));
    Addresses addresses = *result;
    for (SocketAddress& address : addresses) address.set_port(request.port);
    call(std::move(addresses));
  }

  std::map<Key, std::vector<std::weak_ptr<Request>>> by_key_;

  std::mutex mutex_;
  Reactor* reactor_;  // guarded by mutex_; null once the resolver is gone
};

ThreadedResolver::ThreadedResolver(Reactor& reactor, Lookup lookup)
    : lookup_(std::move(lookup)), waiters_(std::make_shared<Waiters>(reactor)) {}

ThreadedResolver::~ThreadedResolver() { waiters_->close(); }

std::size_t ThreadedResolver::lookups() const { return waiters_->keys(); }

std::shared_ptr<void> ThreadedResolver::resolve(const std::string& host, std::uint16_t port, Family family,
                                                OnResolved on_resolved) {
  const Waiters::Key key(without_brackets(host), family);
  auto request = std::make_shared<Waiters::Request>(port, std::move(on_resolved));
  if (!waiters_->add(key, request)) return request;
  if (is_literal(key.first)) {
    waiters_->post(key, ask_system(key.first, family));
    return request;
  }
  try {
    std::thread([waiters = waiters_, lookup = lookup_, key] {
      waiters->post(key, lookup(key.first, key.second));
    }).detach();
  } catch (const std::system_error& error) {
    waiters_->post(key, fail(error.code().message()));
  }
  return request;
}

Result<Resolver::Addresses> ThreadedResolver::ask_system(const std::string& host, Family family) {
  const int wanted = family == Family::kAny ? AF_UNSPEC : family == Family::kIpv4 ? AF_INET : AF_INET6;
  return net::resolve(Endpoint{.host = host}, wanted);
}

}  // namespace h2park::net
