// Router: which handler answers a method on a path.
//
// 1. A method that no resource has (unknown, CONNECT, TRACE) and the target "*" are answered at once.
// 2. A path without '%' is looked up among the literal patterns as it stands: no splitting, no allocation.
// 3. Otherwise the path is split at '/' and each segment decoded; it walks a tree in which a literal segment
//    is preferred to a parameter, with backtracking: /a/{x}/c still matches when /a/b exists.
// 4. The pattern found gives the handler for the method, HEAD by GET's; else OPTIONS (204) or 405, both with
//    `allow`.
#pragma once

#include "handlers/route_method.hpp"
#include "http/handler.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace h2park::handlers {

/// Lifetime: outlives the exchanges it was asked about (exchange.route points into it).
/// Thread: add() before it is shared; operator() from any thread at once.
class Router {
 public:
  Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;
  ~Router();

  /// `pattern` is a path whose segments are literal or, whole, a parameter: "/bytes/{n}". A parameter takes
  /// any non-empty segment. Requires: no route for the same pattern and method yet; GET brings HEAD.
  void add(MethodSet methods, std::string_view pattern, http::Handler handler);

  /// Answers, or hands on to the handler of the route. Sets exchange.route and request.parameters.
  Task<> operator()(http::Request& request, http::Responder& response) const;

 private:
  struct Resource;
  struct Node;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  const Resource* find(http::Request& request, std::string_view path) const;
  static const Resource* walk(const Node& node, const std::vector<std::string>& segments, std::size_t depth,
                              std::vector<std::size_t>& taken);
  Resource& resource_at(std::string_view pattern);
  static Task<> dispatch(const Resource& resource, http::Request& request, http::Responder& response);

  std::vector<std::unique_ptr<Resource>> resources_;
  std::unordered_map<std::string, const Resource*, Hash, std::equal_to<>> literal_;
  std::unique_ptr<Node> root_;
  std::size_t depth_ = 0;  // segments of the longest pattern
  MethodSet methods_;
  std::string allow_all_;
};

}  // namespace h2park::handlers
