#include "handlers/content_type.hpp"

#include <algorithm>
#include <array>

namespace h2park::handlers {
namespace {

struct Type {
  std::string_view extension;
  std::string_view type;
};

// In the order of the extensions: searched by halving.
constexpr std::array kTypes = std::to_array<Type>({
    {"7z", "application/x-7z-compressed"},
    {"aac", "audio/aac"},
    {"apng", "image/apng"},
    {"atom", "application/atom+xml"},
    {"avif", "image/avif"},
    {"bin", "application/octet-stream"},
    {"bmp", "image/bmp"},
    {"br", "application/x-brotli"},
    {"bz2", "application/x-bzip2"},
    {"c", "text/plain; charset=utf-8"},
    {"cjs", "text/javascript; charset=utf-8"},
    {"conf", "text/plain; charset=utf-8"},
    {"cpp", "text/plain; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"deb", "application/vnd.debian.binary-package"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"epub", "application/epub+zip"},
    {"flac", "audio/flac"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"h", "text/plain; charset=utf-8"},
    {"hpp", "text/plain; charset=utf-8"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/vnd.microsoft.icon"},
    {"ics", "text/calendar; charset=utf-8"},
    {"ini", "text/plain; charset=utf-8"},
    {"iso", "application/octet-stream"},
    {"jar", "application/java-archive"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"jsonl", "application/jsonl"},
    {"jxl", "image/jxl"},
    {"log", "text/plain; charset=utf-8"},
    {"m3u8", "application/vnd.apple.mpegurl"},
    {"m4a", "audio/mp4"},
    {"m4s", "video/iso.segment"},
    {"map", "application/json"},
    {"md", "text/markdown; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mkv", "video/matroska"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"mpd", "application/dash+xml"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"ogv", "video/ogg"},
    {"opus", "audio/ogg"},
    {"otf", "font/otf"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"py", "text/plain; charset=utf-8"},
    {"rss", "application/rss+xml"},
    {"rtf", "application/rtf"},
    {"sh", "text/plain; charset=utf-8"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"toml", "application/toml"},
    {"ts", "video/mp2t"},
    {"ttf", "font/ttf"},
    {"txt", "text/plain; charset=utf-8"},
    {"vtt", "text/vtt; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"weba", "audio/webm"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xhtml", "application/xhtml+xml"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "application/xml"},
    {"xz", "application/x-xz"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
    {"zst", "application/zstd"},
});
static_assert(std::ranges::is_sorted(kTypes, {}, &Type::extension));

constexpr std::string_view kUnknown = "application/octet-stream";
constexpr std::size_t kLongestExtension = 11;

}  // namespace

std::string_view content_type_of(std::string_view file_name) {
  file_name.remove_prefix(file_name.rfind('/') + 1);  // npos + 1 is 0
  const auto dot = file_name.rfind('.');
  if (dot == std::string_view::npos || file_name.size() - dot - 1 > kLongestExtension) return kUnknown;
  std::array<char, kLongestExtension> lowered;
  const std::string_view written = file_name.substr(dot + 1);
  std::ranges::transform(written, lowered.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  const std::string_view extension(lowered.data(), written.size());
  const auto found = std::ranges::lower_bound(kTypes, extension, {}, &Type::extension);
  return found != kTypes.end() && found->extension == extension ? found->type : kUnknown;
}

}  // namespace h2park::handlers
