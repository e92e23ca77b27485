#include "http2/request_fields.hpp"

#include <algorithm>
#include <charconv>

namespace h2park::http2 {
namespace {

// RFC 9113 6.5.2.
constexpr std::size_t kFieldOverhead = 32;
// Room for what curl, h2load and gRPC send beside the pseudo-fields; browsers grow it once.
constexpr std::size_t kUsualFields = 8;
constexpr std::size_t kUsualText = 192;
// Scratch strings give their memory back beyond this.
constexpr std::size_t kKeptCapacity = 256;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool same_host(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool valid_target(const http::RequestHead& head) {
  if (head.target == "*") return head.method == "OPTIONS";
  return head.target.starts_with('/') && head.target.find('#') == std::pmr::string::npos;
}

void reset(std::pmr::string& scratch) {
  scratch.clear();
  if (scratch.capacity() > kKeptCapacity) scratch.shrink_to_fit();
}

}  // namespace

void RequestFields::begin() {
  charged_ = 0;
  count_ = 0;
  over_ = false;
  reset(host_);
  reset(cookie_);
}

void RequestFields::begin_request(http::RequestHead& head) {
  begin();
  head_ = &head;
  fields_ = &head.fields;
  head.version = http::Version::kHttp2;
  head.fields.reserve(kUsualFields, kUsualText);
}

void RequestFields::begin_trailers(http::Fields& trailers) {
  begin();
  head_ = nullptr;
  fields_ = &trailers;
}

void RequestFields::add(std::string_view name, std::string_view value) {
  if (over_ || fields_ == nullptr || over_limit(name, value)) return;
  if (name.starts_with(':')) {
    add_pseudo(name, value);
  } else {
    add_regular(name, value);
  }
}

bool RequestFields::over_limit(std::string_view name, std::string_view value) {
  charged_ += name.size() + value.size() + kFieldOverhead;
  const bool counts = !name.starts_with(':') && (name != "cookie" || cookie_.empty());
  if (counts) ++count_;
  if (charged_ <= options_.max_header_bytes && count_ <= options_.max_header_fields) return false;
  forget();
  return true;
}

// What is refused anyway takes no memory.
void RequestFields::forget() {
  over_ = true;
  *fields_ = http::Fields(memory_);
  cookie_.clear();
  cookie_.shrink_to_fit();
}

void RequestFields::add_pseudo(std::string_view name, std::string_view value) {
  if (head_ == nullptr) return;
  if (name == ":method") {
    head_->method = value;
  } else if (name == ":path") {
    head_->target = value;
  } else if (name == ":scheme") {
    head_->scheme = value;
  } else if (name == ":authority") {
    head_->authority = value;
  }
}

void RequestFields::add_regular(std::string_view name, std::string_view value) {
  if (head_ != nullptr) {
    if (name == "host") {
      host_ = value;
      return;
    }
    if (name == "cookie") {
      if (!cookie_.empty()) cookie_.append("; ");
      cookie_.append(value);
      return;
    }
    if (name == "content-length") {
      std::uint64_t length = 0;
      std::from_chars(value.data(), value.data() + value.size(), length);  // digits only: nghttp2 has checked
      head_->content_length = length;
    }
  }
  fields_->add(name, value);
}

RequestFields::Verdict RequestFields::finish_request(bool end_of_stream) {
  http::RequestHead& head = *head_;
  const bool over = over_;
  if (!over) {
    if (!cookie_.empty()) head.fields.add("cookie", cookie_);
    // 8.3.1: a Host that differs from :authority makes the request malformed.
    const bool host_differs = !host_.empty() && !head.authority.empty() && !same_host(host_, head.authority);
    if (head.authority.empty()) head.authority = host_;
    const bool userinfo = head.authority.find('@') != std::pmr::string::npos;
    const bool bad_target = head.method != "CONNECT" && !valid_target(head);
    end();
    if (host_differs || userinfo || bad_target) return Verdict::kMalformed;
    if (end_of_stream && !head.content_length) head.content_length = 0;
    return Verdict::kGood;
  }
  end();
  return Verdict::kTooLarge;
}

RequestFields::Verdict RequestFields::finish_trailers() {
  const bool over = over_;
  end();
  return over ? Verdict::kTooLarge : Verdict::kGood;
}

void RequestFields::end() {
  begin();
  head_ = nullptr;
  fields_ = nullptr;
}

}  // namespace h2park::http2
