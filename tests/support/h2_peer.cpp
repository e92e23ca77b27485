#include "support/h2_peer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace h2park::test {

void* CountingMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  live += bytes;
  peak = std::max(peak, live);
  largest = std::max(largest, bytes);
  ++blocks;
  return std::pmr::new_delete_resource()->allocate(bytes, alignment);
}

void CountingMemory::do_deallocate(void* block, std::size_t bytes, std::size_t alignment) {
  live -= bytes;
  --blocks;
  std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
}

std::string H2Response::field(std::string_view name) const {
  for (const auto& [field_name, value] : fields) {
    if (field_name == name) return value;
  }
  return "(none)";
}

H2Peer::H2Peer(http::Handler handler, http::SessionOptions options)
    : driver(std::move(handler)), own_factory_(std::make_unique<http2::SessionFactory>(options)) {
  make_session(*own_factory_);
}

H2Peer::H2Peer(http::Handler handler, http2::SessionFactory& factory) : driver(std::move(handler)) {
  make_session(factory);
}

void H2Peer::make_session(http2::SessionFactory& factory) {
  session = factory.make(&memory, driver, driver.budget, false);
  nghttp2_hd_inflate_new(&inflater_);
}

H2Peer::~H2Peer() {
  session.reset();
  driver.run_ready();
  driver.drop_all();
  EXPECT_EQ(memory.live, 0U) << "the connection left memory behind";
  EXPECT_EQ(driver.budget.queued, 0U);
  EXPECT_EQ(driver.budget.handlers, 0U);
  nghttp2_hd_inflate_del(inflater_);
}

// ---- writing

void H2Peer::receive(std::string_view bytes) {
  session->receive(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

void H2Peer::settle() {
  driver.run_ready();
  driver.settle(*session, sink);
  read_output();
}

void H2Peer::send(std::string_view bytes) {
  receive(bytes);
  settle();
}

void H2Peer::greet(const SettingList& client_settings) {
  send(preface() + settings_frame(client_settings));
  want_settings_ack();
  EXPECT_FALSE(settings.empty()) << "the server's SETTINGS come first";
  send(settings_ack());
}

void H2Peer::write_headers(std::uint32_t stream, const FieldList& fields, bool end_stream) {
  const std::uint8_t flags = end_stream ? kEndStream | kEndHeaders : kEndHeaders;
  send(frame(kHeaders, flags, stream, block(fields)));
}

void H2Peer::write_data(std::uint32_t stream, std::string_view bytes, bool end_stream) {
  send(frame(kData, end_stream ? kEndStream : kNoFlags, stream, bytes));
}

void H2Peer::advance(Duration by) {
  const TimePoint target = driver.time.now() + by;
  for (;;) {
    const TimePoint next = std::min(session->deadline(), target);
    driver.advance(std::max(next - driver.time.now(), Duration::zero()));
    if (session->deadline() <= driver.time.now()) session->on_deadline(driver.time.now());
    settle();
    if (driver.time.now() >= target && session->deadline() > target) return;
    if (session->finished()) return;
  }
}

// ---- reading

void H2Peer::read_output() {
  produced += sink.text;
  unread_ += sink.text;
  sink.text.clear();
  for (const Frame& frame : take_frames(unread_)) read_frame(frame);
}

void H2Peer::read_frame(const Frame& frame) {
  order.emplace_back(frame.type, frame.stream);
  EXPECT_LE(frame.payload.size(), 16384U);
  if (open_block_) {
    ASSERT_EQ(frame.type, kContinuation) << "field blocks are contiguous";
  }
  switch (frame.type) {
    case kData: {
      H2Response& response = responses_[frame.stream];
      EXPECT_NE(response.status, 0U) << "DATA before HEADERS";
      EXPECT_FALSE(response.ended || response.reset) << "DATA on a closed stream";
      response.body += frame.payload;
      ++response.data_frames;
      response.ended = (frame.flags & kEndStream) != 0;
      break;
    }
    case kHeaders:
    case kContinuation:
      header_block_ += frame.payload;
      if (frame.type == kHeaders) open_block_ = frame;
      if ((frame.flags & kEndHeaders) != 0) read_headers(*open_block_);
      break;
    case kRstStream:
      responses_[frame.stream].reset = word(frame.payload, 0);
      ++responses_[frame.stream].resets;
      break;
    case kSettings:
      if ((frame.flags & kAck) != 0) {
        ++settings_acks;
      } else {
        for (std::size_t at = 0; at + 6 <= frame.payload.size(); at += 6) {
          const auto id = static_cast<std::uint16_t>(word(frame.payload, at) >> 16);
          settings.emplace_back(id, word(frame.payload, at + 2));
        }
      }
      break;
    case kPing:
      ((frame.flags & kAck) != 0 ? ping_acks_ : pings).push_back(frame.payload);
      if ((frame.flags & kAck) != 0) ++pings_acked;
      break;
    case kGoaway:
      if (!goaways.empty()) {
        EXPECT_LE(word(frame.payload, 0), goaways.back().last_stream) << "the last id never grows";
      }
      goaways.push_back({word(frame.payload, 0), word(frame.payload, 4)});
      break;
    case kWindowUpdate:
      EXPECT_GT(word(frame.payload, 0), 0U);
      windows[frame.stream] += word(frame.payload, 0);
      break;
    default:
      ADD_FAILURE() << "the server sent a frame of type " << int{frame.type};
  }
}

void H2Peer::read_headers(const Frame& head) {
  open_block_.reset();
  const FieldList fields = inflate(std::exchange(header_block_, {}));
  H2Response& response = responses_[head.stream];
  EXPECT_FALSE(response.ended || response.reset) << "HEADERS on a closed stream";
  const bool ends = (head.flags & kEndStream) != 0;
  if (response.status != 0) {
    EXPECT_TRUE(ends) << "trailers end the stream";
    response.trailers = fields;
  } else {
    ASSERT_FALSE(fields.empty());
    ASSERT_EQ(fields.front().first, ":status");
    const auto status = static_cast<unsigned>(std::stoul(fields.front().second));
    const FieldList rest(fields.begin() + 1, fields.end());
    if (status < 200) {
      EXPECT_FALSE(ends) << "1xx never ends a stream";
      response.informational.push_back(status);
      response.informational_fields.push_back(rest);
    } else {
      response.status = status;
      response.fields = rest;
    }
  }
  response.ended = ends;
}

FieldList H2Peer::inflate(std::string_view block_text) {
  FieldList fields;
  const auto* in = reinterpret_cast<const std::uint8_t*>(block_text.data());
  std::size_t left = block_text.size();
  for (;;) {
    nghttp2_nv nv;
    int flags = 0;
    const ssize_t taken = nghttp2_hd_inflate_hd2(inflater_, &nv, &flags, in, left, 1);
    if (taken < 0) {
      ADD_FAILURE() << "the server's HPACK is out of step";
      return fields;
    }
    in += taken;
    left -= static_cast<std::size_t>(taken);
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
      fields.emplace_back(std::string(reinterpret_cast<char*>(nv.name), nv.namelen),
                          std::string(reinterpret_cast<char*>(nv.value), nv.valuelen));
    }
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
  }
  nghttp2_hd_inflate_end_headers(inflater_);
  return fields;
}

// ---- what a test wants

void H2Peer::want_goaway(std::uint32_t code) {
  ASSERT_FALSE(goaways.empty()) << "no GOAWAY";
  EXPECT_EQ(goaways.back().code, code);
}

void H2Peer::want_rst(std::uint32_t stream, std::uint32_t code) {
  ASSERT_TRUE(responses_[stream].reset.has_value()) << "stream " << stream << " was not reset";
  EXPECT_EQ(*responses_[stream].reset, code) << "stream " << stream;
  EXPECT_EQ(responses_[stream].resets, 1U) << "one RST_STREAM is enough (RFC 9113 5.4.2)";
}

void H2Peer::want_settings_ack() {
  EXPECT_GT(settings_acks, 0U) << "no SETTINGS ACK";
  settings_acks = 0;
}

void H2Peer::want_ping_ack(std::string_view eight_bytes) {
  EXPECT_NE(std::ranges::find(ping_acks_, eight_bytes), ping_acks_.end()) << "no PING ACK";
  std::erase(ping_acks_, eight_bytes);
}

void H2Peer::want_alive() {
  EXPECT_FALSE(session->finished());
  for (const Goaway& goaway : goaways) EXPECT_EQ(goaway.code, kNoError);
  send(ping("alive?!?"));
  want_ping_ack("alive?!?");
}

void H2Peer::want_finished(http::CloseReason reason) {
  ASSERT_TRUE(session->finished());
  EXPECT_EQ(http::to_string(session->close_reason()), http::to_string(reason));
  EXPECT_FALSE(session->has_output());
  EXPECT_EQ(session->deadline(), kNever);
}

}  // namespace h2park::test
