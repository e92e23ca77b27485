#include "handlers/static_files.hpp"

#include "handlers/content_type.hpp"
#include "handlers/route_answers.hpp"
#include "handlers/static_files_conditions.hpp"
#include "handlers/static_files_path.hpp"
#include "handlers/static_files_range.hpp"
#include "handlers/static_files_source.hpp"
#include "http/date.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

namespace h2park::handlers {
namespace {

constexpr std::string_view kAllow = "GET, HEAD, OPTIONS";
constexpr std::string_view kRoute = "files";

struct OpenFile {
  net::UniqueFd descriptor;
  std::string name;
  std::uint64_t size = 0;
  Validators validators;
};

std::string etag_of(const struct stat& facts) {
  char text[80];
  const int bytes = std::snprintf(
      text, sizeof text, "\"%llx-%llx.%lx-%llx\"", static_cast<unsigned long long>(facts.st_ino),
      static_cast<unsigned long long>(facts.st_mtim.tv_sec),
      static_cast<unsigned long>(facts.st_mtim.tv_nsec), static_cast<unsigned long long>(facts.st_size));
  return std::string(text, static_cast<std::size_t>(bytes));
}

Validators validators_of(const struct stat& facts, std::chrono::system_clock::time_point now) {
  const std::chrono::sys_seconds modified{std::chrono::seconds(facts.st_mtim.tv_sec)};
  // RFC 9110 8.8.2.1: never later than the answer itself.
  return {etag_of(facts), std::min(modified, std::chrono::floor<std::chrono::seconds>(now)), now};
}

void add_validators(http::Fields& fields, const Validators& validators) {
  fields.set("etag", validators.etag);
  fields.set("last-modified", http::date_text(validators.modified));
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  return "bytes " + std::to_string(range.offset) + "-" + std::to_string(range.offset + range.bytes - 1) +
         "/" + std::to_string(size);
}

// Range is defined for GET alone (RFC 9110 14.2); two fields of it mean nothing.
ByteRange range_of(const http::Request& request, const OpenFile& file) {
  const http::Fields& fields = request.fields();
  if (request.method() != "GET" || fields.count("range") != 1 || !range_may_apply(fields, file.validators))
    return {};
  return parse_range(*fields.find("range"), file.size);
}

Task<> send_file(http::Request& request, http::Responder& response, OpenFile file) {
  http::Fields& fields = response.fields();
  add_validators(fields, file.validators);
  fields.set("accept-ranges", "bytes");
  ByteRange range = range_of(request, file);
  if (range.kind == ByteRange::Kind::kUnsatisfiable) {
    fields.set("content-range", "bytes */" + std::to_string(file.size));
    co_return co_await answer_line(response, 416, "the file has " + std::to_string(file.size) + " bytes");
  }
  if (range.kind == ByteRange::Kind::kPart) {
    response.status(206);
    fields.set("content-range", content_range(range, file.size));
  } else {
    range.bytes = file.size;
  }
  fields.set("content-type", content_type_of(file.name));
  fields.set("x-content-type-options", "nosniff");
  response.content_length(range.bytes);
  if (range.bytes == 0 || request.method() == "HEAD") {
    response.end();
  } else {
    response.send_source(std::make_unique<FileSource>(std::move(file.descriptor), range.offset, range.bytes));
  }
}

Task<> answer_not_modified(http::Responder& response, const Validators& validators) {
  add_validators(response.fields(), validators);
  response.status(304);
  response.end();
  co_return;
}

Task<> answer_file(http::Request& request, http::Responder& response, OpenFile file) {
  switch (check_conditions(request.fields(), file.validators)) {
    case Verdict::kNotModified:
      return answer_not_modified(response, file.validators);
    case Verdict::kPreconditionFailed:
      return answer_line(response, 412, "precondition failed");
    case Verdict::kGo:
      break;
  }
  return send_file(request, response, std::move(file));
}

// As the client wrote it, so that it stays encoded. The path has no empty segment: it is no "//host".
Task<> redirect_to_directory(http::Request& request, http::Responder& response) {
  std::string location = std::string(request.path()) + "/";
  if (const std::string_view query = request.head().query(); !query.empty())
    location.append("?").append(query);
  response.fields().set("location", location);
  return answer_line(response, 301, "it is a directory");
}

Task<> answer_open_error(http::Responder& response, int error) {
  if (error == EACCES) return answer_line(response, 403, "not readable");
  if (error == EMFILE || error == ENFILE || error == ENOMEM)
    return answer_line(response, 503, "too many open files");
  return answer_line(response, 404, "no such file");
}

}  // namespace

Result<StaticFiles> StaticFiles::open(const std::string& root) {
  auto directory = FileRoot::open(root);
  if (!directory) return std::unexpected(directory.error());
  return StaticFiles(std::move(*directory));
}

Task<> StaticFiles::operator()(http::Request& request, http::Responder& response) const {
  if (Task<> answered = answer_without_resource(request, response, kAllow)) return answered;
  request.exchange().route = kRoute;
  if (request.method() == "OPTIONS") return answer_options(response, kAllow);
  if (request.method() != "GET" && request.method() != "HEAD") return answer_not_allowed(response, kAllow);
  return answer_path(request, response);
}

Task<> StaticFiles::answer_path(http::Request& request, http::Responder& response) const {
  const auto path = file_path_of(request.path());
  if (!path)
    return answer_line(response, path.error(),
                       path.error() == 400 ? "the path is not valid" : "no such file");
  auto descriptor = root_.open_below(path->below_root);
  if (!descriptor) return answer_open_error(response, descriptor.error());
  struct stat facts {};
  if (::fstat(descriptor->get(), &facts) != 0) return answer_open_error(response, errno);
  if (S_ISDIR(facts.st_mode) && !path->is_directory) return redirect_to_directory(request, response);
  if (!S_ISREG(facts.st_mode)) return answer_line(response, 404, "no such file");
  return answer_file(request, response,
                     {std::move(*descriptor), path->below_root, static_cast<std::uint64_t>(facts.st_size),
                      validators_of(facts, request.exchange().host().wall())});
}

}  // namespace h2park::handlers
