#include "server/output_queue.hpp"

#include <cstring>

namespace h2park::server {

void OutputQueue::append(std::span<const std::byte> bytes) {
  if (taken_ > 0) {
    unsent_.erase(0, taken_);
    taken_ = 0;
  }
  unsent_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

OutputQueue::Progress OutputQueue::send(net::Transport& transport) {
  bool some = false;
  while (!empty()) {
    const auto left = std::as_bytes(std::span(unsent_)).subspan(taken_);
    const net::IoResult result = transport.write(left);
    if (result.status == net::IoStatus::kError || result.status == net::IoStatus::kEof)
      return Progress::kError;
    if (result.status != net::IoStatus::kOk) return some ? Progress::kSome : Progress::kNone;
    taken_ += result.bytes;
    some = true;
  }
  taken_ = 0;
  unsent_.clear();
  unsent_.shrink_to_fit();  // an idle connection owns no buffer
  return Progress::kAll;
}

void Flush::write(std::span<const std::byte> bytes) {
  if (failed_) return;
  if (gathered_ + bytes.size() > gather_.size()) {
    send(gather_.first(std::exchange(gathered_, 0)));
    if (bytes.size() > gather_.size() / 2) {
      send(bytes);
      return;
    }
  }
  std::memcpy(gather_.data() + gathered_, bytes.data(), bytes.size());
  gathered_ += bytes.size();
}

bool Flush::finish() {
  send(gather_.first(std::exchange(gathered_, 0)));
  return !failed_;
}

void Flush::send(std::span<const std::byte> bytes) {
  while (!bytes.empty() && !failed_) {
    if (!queue_.empty()) {
      queue_.append(bytes);
      return;
    }
    const net::IoResult result = transport_.write(bytes);
    switch (result.status) {
      case net::IoStatus::kOk:
        sent_ += result.bytes;
        bytes = bytes.subspan(result.bytes);
        break;
      case net::IoStatus::kWantRead:
      case net::IoStatus::kWantWrite:
        queue_.append(bytes);
        return;
      case net::IoStatus::kEof:
      case net::IoStatus::kError:
        failed_ = true;
        return;
    }
  }
}

}  // namespace h2park::server
