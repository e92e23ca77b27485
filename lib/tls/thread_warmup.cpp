#include "tls/thread_warmup.hpp"

#include "tls/openssl.hpp"
#include "tls/self_client.hpp"

#include <openssl/err.h>

#include <array>
#include <new>

namespace h2park::tls {
namespace {

// Flights of a handshake, with room to spare: it takes six at most, with a second ClientHello.
constexpr int kMaxRounds = 10;

/// A SelfClient and the server's side of it, joined in memory.
class Rehearsal {
 public:
  Rehearsal(ServerContext& context, const SelfClientOptions& options)
      : client_(options), server_(SSL_new(context.native())) {
    BIO* server_side = nullptr;
    BIO* client_side = nullptr;
    if (!server_ || BIO_new_bio_pair(&server_side, 0, &client_side, 0) != 1) throw std::bad_alloc();
    SSL_set_bio(server_.get(), server_side, server_side);
    SSL_set_bio(client_.native(), client_side, client_side);
    SSL_set_accept_state(server_.get());
  }

  SelfClient& client() { return client_; }

  bool shake_hands() {
    for (int round = 0; round < kMaxRounds; ++round) {
      if (!client_.step() || !step()) return false;
      if (client_.done() && SSL_is_init_finished(server_.get()) == 1) return true;
    }
    return false;
  }
  /// One byte there and back: the record layer has per-thread state as well.
  bool exchange_a_byte() {
    char byte = 'x';
    std::size_t n = 0;
    ERR_clear_error();
    if (!client_.write("x") || SSL_read_ex(server_.get(), &byte, 1, &n) != 1 ||
        SSL_write_ex(server_.get(), &byte, 1, &n) != 1) {
      return false;
    }
    client_.read();
    return true;
  }
  bool sees_the_end() {
    char byte = 'x';
    std::size_t n = 0;
    client_.say_goodbye();
    ERR_clear_error();
    const int result = SSL_read_ex(server_.get(), &byte, 1, &n);
    const bool end = SSL_get_error(server_.get(), result) == SSL_ERROR_ZERO_RETURN;
    SSL_shutdown(server_.get());
    ERR_clear_error();
    return end;
  }

 private:
  bool step() {
    ERR_clear_error();
    const int result = SSL_do_handshake(server_.get());
    return result == 1 || SSL_get_error(server_.get(), result) == SSL_ERROR_WANT_READ;
  }

  SelfClient client_;
  SslPtr server_;
};

bool play(ServerContext& context, const SelfClientOptions& options) {
  Rehearsal rehearsal(context, options);
  return rehearsal.shake_hands() && rehearsal.exchange_a_byte();
}

bool play_to_the_end(ServerContext& context, bool tls13) {
  Rehearsal rehearsal(context, {.tls13 = tls13});
  bool fine = rehearsal.shake_hands() && rehearsal.exchange_a_byte();
  if (tls13) {
    rehearsal.client().update_key(true);  // and the server's own keys with its next record
    fine = fine && rehearsal.exchange_a_byte() && rehearsal.exchange_a_byte();
  }
  return fine && rehearsal.sees_the_end();
}

bool play_resumption(ServerContext& context, bool tls13) {
  Rehearsal first(context, {.tls13 = tls13});
  if (!first.shake_hands() || !first.exchange_a_byte()) return false;
  Rehearsal second(context, {.tls13 = tls13});
  second.client().resume(first.client().session());
  return second.shake_hands() && second.exchange_a_byte() &&
         SSL_session_reused(second.client().native()) == 1;
}

/// A client that speaks no protocol of ours is told so.
bool play_alert(ServerContext& context, bool tls13) {
  Rehearsal rehearsal(context, {.tls13 = tls13, .protocols = "none"});
  return !rehearsal.shake_hands();
}

constexpr std::array kSuites13{"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
                               "TLS_CHACHA20_POLY1305_SHA256"};
constexpr std::array kSuites12{"ECDHE+AES128+AESGCM", "ECDHE+AES256+AESGCM", "ECDHE+CHACHA20"};
// The last offers a share of a group that we do not have, so that we ask for another one.
constexpr std::array kGroups{"X25519", "P-256", "X448", "P-521", "P-384", "ffdhe2048:P-256:X25519"};

template <class Play>
int failures(Play play) {
  bool fine = false;
  try {
    fine = play();
  } catch (const std::bad_alloc&) {  // the library lacks it, so no client can ask for it either
  }
  ERR_clear_error();
  return fine ? 0 : 1;
}

}  // namespace

bool warm_up_thread(ServerContext& context) {
  const int failed = failures([&] { return play(context, {.tls13 = false}); }) +
                     failures([&] { return play(context, {.tls13 = true}); });
  return failed == 0;
}

int rehearse(ServerContext& context) {
  int failed = 0;
  for (const bool tls13 : {false, true}) {
    for (const char* suites : tls13 ? kSuites13 : kSuites12) {
      failed += failures([&] { return play(context, {.tls13 = tls13, .suites = suites}); });
    }
    for (const char* groups : kGroups) {
      const int refused = failures([&] { return play(context, {.tls13 = tls13, .groups = groups}); });
      // In TLS 1.2 the certificate's own curve has to be among them.
      if (tls13) failed += refused;
    }
    failed += failures([&] { return play(context, {.tls13 = tls13, .protocols = "", .tickets = false}); });
    failed += failures([&] { return play_to_the_end(context, tls13); });
    failed += failures([&] { return play_resumption(context, tls13); });
    failed += failures([&] { return play_alert(context, tls13); });
  }
  return failed;
}

}  // namespace h2park::tls
