#include "http2/session_factory.hpp"

#include "http2/server_session.hpp"

namespace h2park::http2 {

struct SessionFactory::Shared {
  explicit Shared(const http::SessionOptions& limits) : options(limits), library(limits) {}

  const http::SessionOptions options;
  const Library library;
  FrameBuffer frame_buffer;
};

SessionFactory::SessionFactory(const http::SessionOptions& options)
    : shared_(std::make_unique<Shared>(options)) {}

SessionFactory::~SessionFactory() = default;

std::unique_ptr<http::Session> SessionFactory::make(std::pmr::memory_resource* memory,
                                                    http::ExchangeHost& host, http::OutputBudget& budget,
                                                    bool secure) {
  const ServerSession::Setup setup{.memory = memory,
                                   .options = shared_->options,
                                   .library = shared_->library,
                                   .frame_buffer = shared_->frame_buffer,
                                   .host = host,
                                   .budget = budget,
                                   .scheme = secure ? "https" : "http"};
  return std::unique_ptr<http::Session>(new (memory) ServerSession(setup));
}

}  // namespace h2park::http2
