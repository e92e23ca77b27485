#include "tls/client_sessions.hpp"

#include <algorithm>
#include <ctime>
#include <new>
#include <utility>

namespace h2park::tls {
namespace {

void free_sessions(void*, void* sessions, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<ClientSessions*>(sessions);
}

void free_name(void*, void* name, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<std::string*>(name);
}

int sessions_index() {
  static const int index =
      CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nullptr, nullptr, nullptr, &free_sessions);
  return index;
}

int name_index() {
  static const int index =
      CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, nullptr, nullptr, nullptr, &free_name);
  return index;
}

ClientSessions& sessions_of(const SSL* ssl) {
  return *static_cast<ClientSessions*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), sessions_index()));
}

int on_new_session(SSL* ssl, SSL_SESSION* session) {
  const auto* name = static_cast<const std::string*>(SSL_get_ex_data(ssl, name_index()));
  if (name == nullptr) return 0;
  sessions_of(ssl).put(*name, SessionPtr(session));
  return 1;  // ours now
}

/// The library leaves it to the client to look at the lifetime that the server gave.
bool holds(const SSL_SESSION* session) {
  return SSL_SESSION_is_resumable(session) == 1 &&
         SSL_SESSION_get_time(session) + SSL_SESSION_get_timeout(session) > std::time(nullptr);
}

}  // namespace

void ClientSessions::put(const std::string& server, SessionPtr session) {
  entries_.push_front({server, std::move(session)});
  std::size_t of_server = 0;
  for (auto it = entries_.begin(); it != entries_.end();) {
    const bool extra = it->server == server && ++of_server > kPerServer;
    it = extra ? entries_.erase(it) : std::next(it);
  }
  if (entries_.size() > kInAll) entries_.pop_back();
}

SessionPtr ClientSessions::take(const std::string& server) {
  std::erase_if(entries_, [](const Entry& entry) { return !holds(entry.session.get()); });
  const auto it = std::ranges::find(entries_, server, &Entry::server);
  if (it == entries_.end()) return nullptr;
  if (SSL_SESSION_get_protocol_version(it->session.get()) != TLS1_3_VERSION) {
    SSL_SESSION_up_ref(it->session.get());
    return SessionPtr(it->session.get());
  }
  SessionPtr session = std::move(it->session);
  entries_.erase(it);
  return session;
}

bool keep_sessions(SSL_CTX* context) {
  auto owned = std::make_unique<ClientSessions>();
  if (SSL_CTX_set_ex_data(context, sessions_index(), owned.get()) != 1) return false;
  owned.release();
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, &on_new_session);
  return true;
}

void resume_as(SSL* ssl, const std::string& server) {
  auto owned = std::make_unique<std::string>(server);
  if (SSL_set_ex_data(ssl, name_index(), owned.get()) != 1) throw std::bad_alloc();
  owned.release();
  if (const SessionPtr session = sessions_of(ssl).take(server)) SSL_set_session(ssl, session.get());
}

}  // namespace h2park::tls
