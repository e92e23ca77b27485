#include "handlers/router.hpp"

#include "handlers/route_answers.hpp"
#include "handlers/route_path.hpp"
#include "http/percent.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace h2park::handlers {

struct Router::Resource {
  std::string pattern;
  std::vector<std::string> parameters;  // names, in the order of the path
  MethodSet methods;
  std::string allow;
  std::array<std::shared_ptr<const http::Handler>, kMethods> handlers;
};

struct Router::Node {
  std::unordered_map<std::string, std::unique_ptr<Node>, Hash, std::equal_to<>> literal;
  std::unique_ptr<Node> parameter;
  const Resource* resource = nullptr;
};

namespace {

bool is_parameter(std::string_view segment) { return segment.starts_with('{') && segment.ends_with('}'); }

}  // namespace

Router::Router() : root_(std::make_unique<Node>()), allow_all_(methods_.allow()) {}
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;
Router::~Router() = default;

void Router::add(MethodSet methods, std::string_view pattern, http::Handler handler) {
  if (methods.has(Method::kGet)) methods = methods | Method::kHead;
  Resource& resource = resource_at(pattern);
  assert(!resource.methods.overlaps(methods));
  const auto shared = std::make_shared<const http::Handler>(std::move(handler));
  for (std::size_t i = 0; i < kMethods; ++i) {
    if (methods.has(static_cast<Method>(i))) resource.handlers[i] = shared;
  }
  resource.methods = resource.methods | methods;
  resource.allow = resource.methods.allow();
  methods_ = methods_ | methods;
  allow_all_ = methods_.allow();
}

Router::Resource& Router::resource_at(std::string_view pattern) {
  assert(pattern.starts_with('/'));
  for (const auto& resource : resources_) {
    if (resource->pattern == pattern) return *resource;
  }
  Resource& resource = *resources_.emplace_back(std::make_unique<Resource>());
  resource.pattern = pattern;
  Node* node = root_.get();
  std::size_t depth = 0;
  for (std::string_view rest = pattern; !rest.empty(); ++depth) {
    const std::string_view segment = take_segment(rest);
    const bool parameter = is_parameter(segment);
    if (parameter) resource.parameters.emplace_back(segment.substr(1, segment.size() - 2));
    auto& child = parameter ? node->parameter : node->literal[std::string(segment)];
    if (child == nullptr) child = std::make_unique<Node>();
    node = child.get();
  }
  assert(node->resource == nullptr && "two patterns that differ in a parameter's name only");
  node->resource = &resource;
  depth_ = std::max(depth_, depth);
  if (resource.parameters.empty()) literal_.emplace(pattern, &resource);
  return resource;
}

Task<> Router::operator()(http::Request& request, http::Responder& response) const {
  // The common case first: a literal path and a method it has.
  const std::string_view path = request.path();
  if (const auto found = literal_.find(path); found != literal_.end()) {
    const std::string_view method = request.method();
    if (method == "GET" || method == "POST") return dispatch(*found->second, request, response);
  }
  if (Task<> answered = answer_without_resource(request, response, allow_all_)) return answered;
  if (!http::percent_encoding_is_valid(path))
    return answer_line(response, 400, "the path is not valid percent-encoding");
  if (const Resource* resource = find(request, path)) return dispatch(*resource, request, response);
  return answer_line(response, 404, "no such resource");
}

const Router::Resource* Router::find(http::Request& request, std::string_view path) const {
  if (const auto found = literal_.find(path); found != literal_.end()) return found->second;
  std::vector<std::string> segments;
  for (std::string_view rest = path; !rest.empty();) {
    // A path deeper than every pattern matches none: its length costs nothing.
    if (segments.size() == depth_) return nullptr;
    segments.push_back(*http::percent_decode(take_segment(rest)));
  }
  std::vector<std::size_t> taken;
  const Resource* resource = walk(*root_, segments, 0, taken);
  if (resource == nullptr) return nullptr;
  request.parameters.clear();
  for (std::size_t i = 0; i < taken.size(); ++i) {
    request.parameters.push_back({resource->parameters[i], std::move(segments[taken[i]])});
  }
  return resource;
}

const Router::Resource* Router::walk(const Node& node, const std::vector<std::string>& segments,
                                     std::size_t depth, std::vector<std::size_t>& taken) {
  if (depth == segments.size()) return node.resource;
  if (const auto child = node.literal.find(segments[depth]); child != node.literal.end()) {
    if (const Resource* found = walk(*child->second, segments, depth + 1, taken)) return found;
  }
  if (node.parameter == nullptr || segments[depth].empty()) return nullptr;
  taken.push_back(depth);
  if (const Resource* found = walk(*node.parameter, segments, depth + 1, taken)) return found;
  taken.pop_back();
  return nullptr;
}

Task<> Router::dispatch(const Resource& resource, http::Request& request, http::Responder& response) {
  const Method method = *parse_method(request.method());
  request.exchange().route = resource.pattern;
  if (const auto& handler = resource.handlers[static_cast<std::size_t>(method)])
    return (*handler)(request, response);
  if (method == Method::kOptions) return answer_options(response, resource.allow);
  return answer_not_allowed(response, resource.allow);
}

}  // namespace h2park::handlers
