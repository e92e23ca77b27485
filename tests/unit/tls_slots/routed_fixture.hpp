// Connections whose OpenSSL objects live in slots.
#pragma once

#include "freezer/packer.hpp"
#include "freezer/slots.hpp"
#include "support/certificate_files.hpp"
#include "support/tls_client.hpp"
#include "tls/slot_routing.hpp"
#include "tls/thread_warmup.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>

namespace h2park::tls {

class WithRoutedSlots : public testing::Test {
 protected:
  WithRoutedSlots() : slots(freezer::Slots::reserve(16).value()), routed(slots) {}

  static std::shared_ptr<ServerContext> fresh_context() {
    return ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  }
  static std::shared_ptr<ServerContext> fresh_rsa_context() {
    const CertificateFiles files;
    files.write_pair("rsa", CertificateFiles::rsa_key());
    return ServerContext::from_files(files.file("rsa.crt"), files.file("rsa.key"),
                                     std::make_shared<TicketKeys>())
        .value();
  }
  /// One for all tests, rehearsed, and the calling thread warmed up for it.
  static ServerContext& context() {
    static const auto shared = rehearsed(fresh_context());
    EXPECT_TRUE(warm_up_thread(*shared));
    return *shared;
  }
  /// Likewise.
  static ServerContext& rsa_context() {
    static const auto shared = rehearsed(fresh_rsa_context());
    EXPECT_TRUE(warm_up_thread(*shared));
    return *shared;
  }

  freezer::SlotHeap& take() { return *slots.take(); }

  freezer::Slots slots;
  RoutedSlots routed;

 private:
  static std::shared_ptr<ServerContext> rehearsed(std::shared_ptr<ServerContext> context) {
    EXPECT_EQ(rehearse(*context), 0);
    return context;
  }
};

template <class Body>
void on_a_fresh_thread(Body body) {
  std::thread(body).join();
}

inline std::string version_name(int version) { return version == TLS1_3_VERSION ? "Tls13" : "Tls12"; }

}  // namespace h2park::tls
