// Ties an SSL_CTX to the TicketKeys that seal its tickets.
#pragma once

#include "tls/ticket_keys.hpp"

#include <openssl/ssl.h>

#include <memory>

namespace h2park::tls {

/// The context shares `keys` for as long as it lives, which may be longer than the ServerContext: each
/// connection holds on to the context that it began with.
bool seal_tickets_with(SSL_CTX* context, std::shared_ptr<TicketKeys> keys);

}  // namespace h2park::tls
