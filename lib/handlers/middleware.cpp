#include "handlers/middleware.hpp"

#include <memory>
#include <ranges>
#include <utility>

namespace h2park::handlers {

http::Handler compose(std::span<const http::Middleware> middleware, http::Handler handler) {
  struct Layer {
    http::Middleware middleware;
    http::Handler next;
  };
  for (const http::Middleware& outer : middleware | std::views::reverse) {
    // Shared, because std::function copies: one chain in the process, whoever copies the handler.
    auto layer = std::make_shared<const Layer>(Layer{outer, std::move(handler)});
    handler = [layer = std::move(layer)](http::Request& request, http::Responder& response) {
      return layer->middleware(request, response, layer->next);
    };
  }
  return handler;
}

}  // namespace h2park::handlers
