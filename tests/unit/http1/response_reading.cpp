#include "response_reading.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <ostream>

namespace h2park::test {

void ResponseRecorder::note_head(std::string_view kind, const http1::ResponseHead& head) {
  events.append(kind).append(http::to_string(head.version)).append(" ").append(std::to_string(head.status));
  events.append(" ").append(head.reason).append("\n");
  for (const http::Field field : head.fields) {
    events.append("  ").append(field.name).append("=").append(field.value).append("|\n");
  }
  head_text += head.text;
}

void ResponseRecorder::on_body(std::string_view bytes) {
  EXPECT_FALSE(bytes.empty());
  if (!events.ends_with("body\n")) events += "body\n";
  body += bytes;
  ++body_events;
}

void ResponseRecorder::on_trailer(std::string_view name, std::string_view value) {
  events.append("trailer ").append(name).append("=").append(value).append("|\n");
}

void PrintTo(const Reading& reading, std::ostream* out) {
  *out << "state " << static_cast<int>(reading.state) << ", " << to_string(reading.fault) << ", "
       << to_string(reading.persistence) << ", body end " << static_cast<int>(reading.body_end)
       << ", body of " << reading.body.size() << ", rest '" << reading.rest.substr(0, 80) << "', events:\n"
       << reading.events;
}

namespace {

// Takes as much of `input` as goes, and removes it. Content is checked against the room it was given.
void take_all(ResponseReader& reader, std::string& input, std::uint64_t room, ResponseRecorder& recorder) {
  for (;;) {
    const std::size_t body_before = recorder.body.size();
    const std::size_t consumed = reader.take(input, room, recorder);
    ASSERT_LE(consumed, input.size());
    ASSERT_LE(recorder.body.size() - body_before, room);
    input.erase(0, consumed);
    if (consumed == 0 || reader.state() == State::kComplete || reader.state() == State::kFailed) return;
  }
}

}  // namespace

Reading read_response(ResponseReader& reader, const RequestTraits& traits, std::string_view input,
                      const Delivery& delivery) {
  ResponseRecorder recorder;
  std::string buffer;
  std::size_t shown = 0;
  reader.begin(traits);
  std::vector<std::size_t> ends = delivery.cuts;
  ends.push_back(input.size());
  for (const std::size_t end : ends) {
    buffer.append(input.substr(shown, end - shown));
    shown = end;
    take_all(reader, buffer, delivery.room, recorder);
  }
  if (delivery.closed) reader.end_of_input(buffer);
  Reading reading{recorder.events,      recorder.body,     reader.state(), reader.fault(),
                  reader.persistence(), reader.body_end(), buffer};
  if (reading.state == State::kFailed) reading.rest.clear();
  return reading;
}

Reading read_response(const RequestTraits& traits, std::string_view input, const Delivery& delivery,
                      const ResponseLimits& limits) {
  ResponseReader reader(limits);
  return read_response(reader, traits, input, delivery);
}

Reading read_in_every_way(const RequestTraits& traits, std::string_view input, bool closed,
                          const ResponseLimits& limits) {
  const Reading whole = read_response(traits, input, {{}, kAllRoom, closed}, limits);
  for (std::size_t cut = 1; cut < input.size(); ++cut) {
    EXPECT_EQ(read_response(traits, input, {{cut}, kAllRoom, closed}, limits), whole) << "cut at " << cut;
    EXPECT_EQ(read_response(traits, input, {{cut}, 2, closed}, limits), whole)
        << "cut at " << cut << ", room 2";
  }
  std::vector<std::size_t> all(input.empty() ? 0 : input.size() - 1);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(read_response(traits, input, {all, kAllRoom, closed}, limits), whole) << "byte by byte";
  EXPECT_EQ(read_response(traits, input, {all, 1, closed}, limits), whole) << "byte by byte, room 1";
  EXPECT_EQ(read_response(traits, input, {{}, 1, closed}, limits), whole) << "whole, room 1";
  return whole;
}

}  // namespace h2park::test
