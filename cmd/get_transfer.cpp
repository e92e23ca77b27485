#include "cmd/get_transfer.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace h2park::cmd {

void Transfer::begin(const GetTarget& target, std::shared_ptr<Pending> pending) {
  target_ = &target;
  pending_ = std::move(pending);
  hidden_ = followed_ = written_ = false;
  decoder_.reset();
  file_ = nullptr;
  if (target.place.kind != GetPlace::Kind::kFile) return;
  file_ = &files_[pending_->target];
  file_->start(target.place.file, shared_.settings.repeated);
}

void Transfer::end(bool complete) {
  if (complete && decoder_) end_decoding();
  if (file_ != nullptr && complete && !hidden_ && !pending_->fault) {
    file_->finish();
    if (!file_->error().empty()) pending_->fault = write_fault(file_->error());
  }
  // A repeated request's file stays open: the next body goes behind this one.
  if (file_ != nullptr && !shared_.settings.repeated) files_.erase(pending_->target);
  file_ = nullptr;
  pending_.reset();
}

void Transfer::on_request(std::string_view text) {
  // Once more for --retry: what came of the last attempt is no part of the answer. The heads of redirects
  // are.
  if (!followed_ && std::exchange(written_, false) && file_ != nullptr) file_->rewind();
  hidden_ = followed_ = false;
  if (shared_.settings.verbose) say_lines("> ", text);
}

void Transfer::on_informational(const http1::ResponseHead& head) { show_head(head); }

void Transfer::on_head(const http1::ResponseHead& head, bool followed) {
  show_head(head);
  followed_ = followed;
  hidden_ = followed || (shared_.settings.fail && head.status >= 400);
  if (shared_.keep_fields) pending_->fields = head.fields;
  if (shared_.settings.compressed && !hidden_) begin_decoding(head.fields);
}

void Transfer::on_body(std::string_view bytes) {
  if (hidden_) return;
  if (!decoder_) return write(bytes);
  const auto good = decoder_->write(bytes, [this](std::string_view piece) { write(piece); });
  if (!good) broken(decoding_fault(good.error().message));
}

void Transfer::begin_decoding(const http::Fields& fields) {
  decoder_.reset();
  std::string codings;
  for (const http::Field field : fields) {
    if (field.name == "content-encoding") codings.append(codings.empty() ? "" : ", ").append(field.value);
  }
  if (codings.empty()) return;
  auto decoder = client::ContentDecoder::make(codings);
  if (!decoder) {
    hidden_ = true;  // the caller asked for the body, not for something that stands for it
    return broken(decoding_fault(decoder.error().message));
  }
  decoder_.emplace(std::move(*decoder));
}

void Transfer::end_decoding() {
  // What was not wanted of the body may well be missing.
  if (target_->request.read_limit != client::kReadAll || pending_->fault) return;
  if (const auto good = decoder_->finish(); !good) pending_->fault = decoding_fault(good.error().message);
}

void Transfer::on_trailer(std::string_view name, std::string_view value) {
  const std::string line = std::string(name) + ": " + std::string(value) + "\r\n";
  if (shared_.settings.verbose) say_lines("< ", line);
  if (shared_.settings.include && !hidden_) write(line);
}

void Transfer::on_note(std::string_view text) { say_lines("* ", text); }

void Transfer::show_head(const http1::ResponseHead& head) {
  if (shared_.settings.verbose) say_lines("< ", head.text);
  if (shared_.settings.include || shared_.settings.head) write(head.text);
}

/// Each line with its prefix, the empty one at a head's end too, as curl shows it.
void Transfer::say_lines(std::string_view prefix, std::string_view text) const {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.append(prefix).append(text.substr(0, end));
    if (lines.ends_with('\r')) lines.pop_back();
    lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  shared_.say(lines);
}

void Transfer::write(std::string_view bytes) {
  written_ = true;
  switch (target_->place.kind) {
    case GetPlace::Kind::kNowhere:
      return;
    case GetPlace::Kind::kStandardOutput:
      // At once: an event stream is read by somebody, and a large body comes in large pieces anyway.
      shared_.standard_output.write(bytes);
      shared_.standard_output.flush();
      if (const int reason = shared_.standard_output.error(); reason != 0) {
        broken(write_fault("Failed writing body: " + std::generic_category().message(reason)));
      }
      return;
    case GetPlace::Kind::kFile:
      file_->write(bytes);
      if (!file_->error().empty()) broken(write_fault(file_->error()));
      return;
  }
}

void Transfer::broken(Fault fault) {
  if (pending_->fault) return;
  pending_->fault = std::move(fault);
  on_broken_();
}

}  // namespace h2park::cmd
