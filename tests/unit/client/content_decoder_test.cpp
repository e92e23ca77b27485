#include "client/content_decoder.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <random>
#include <string>

namespace h2park::client {
namespace {

constexpr int kZlib = MAX_WBITS;
constexpr int kGzip = MAX_WBITS + 16;
constexpr int kRaw = -MAX_WBITS;

std::string deflated(std::string_view text, int format) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}
std::string gzip(std::string_view text) { return deflated(text, kGzip); }

std::string zstd(std::string_view text, int window_log = 0) {
  const std::unique_ptr<ZSTD_CCtx, decltype([](ZSTD_CCtx* c) { ZSTD_freeCCtx(c); })> context(
      ZSTD_createCCtx());
  if (window_log != 0) ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, window_log == 0 ? 1 : 0);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size()));
  return out;
}

constexpr std::string_view kText =
    "the quick brown fox jumps over the lazy dog, and the lazy dog does not mind at all";
// Google's encoder, quality 11: kText; 4 MiB of 'a'; nothing.
const std::string kBrotliText(
    "\x1b\x51\x00\x88\x14\x21\xc9\x2c\xf4\x6e\xe3\x53\xbd\x5c\x07\xdf\xf0\x60\xc1\x05\xd5\x29\x07\xec\xb5\xa5"
    "\x6d\x49\xe7\x1f\x44\x1e\x0a\xf0\x90\xa5\x24\x9f\x29\xa2\xdb\x0e\x38\x3e\xd1\xe6\x5c\x1a\x7a\x00\x1e\xd9"
    "\x7f\xf8\xd4\x3e\x12\x26\x19\xa6\x83\x6d\x24",
    63);
const std::string kBrotliBomb("\x9b\xff\xff\x3f\xf8\x25\xc2\xe2\xb1\x40\x20\xf7\xfe\x07", 14);
const std::string kBrotliNothing("\x06");

struct Decoded {
  std::string text;
  std::string error;  // of write() or finish(), or ""
};

Decoded decode(std::string_view coding, const std::vector<std::string_view>& pieces) {
  Decoded decoded;
  auto decoder = ContentDecoder::make(coding);
  EXPECT_TRUE(decoder) << coding;
  const auto sink = [&](std::string_view bytes) {
    EXPECT_FALSE(bytes.empty());
    EXPECT_LE(bytes.size(), ContentDecoder::kPiece);
    decoded.text += bytes;
  };
  for (const std::string_view piece : pieces) {
    const auto written = decoder->write(piece, sink);
    if (!written) {
      decoded.error = written.error().message;
      EXPECT_FALSE(decoder->write("x", sink)) << "an error stays";
      EXPECT_EQ(decoder->finish().error().message, decoded.error);
      return decoded;
    }
  }
  const auto finished = decoder->finish();
  if (!finished) decoded.error = finished.error().message;
  return decoded;
}
Decoded decode(std::string_view coding, std::string_view body) {
  return decode(coding, std::vector<std::string_view>{body});
}

struct Sample {
  std::string coding;
  std::string body;
};
std::vector<Sample> samples_of_text() {
  return {{"gzip", gzip(kText)},
          {"X-GZip", gzip(kText)},
          {"deflate", deflated(kText, kZlib)},
          {"deflate", deflated(kText, kRaw)},
          {"br", kBrotliText},
          {"zstd", zstd(kText)},
          {"gzip, zstd", zstd(gzip(kText))},
          {"br, gzip", gzip(kBrotliText)},
          {"deflate,identity , GZIP", gzip(deflated(kText, kZlib))}};
}

TEST(ContentDecoder, UndoesEachCodingWhereverItsBytesAreCut) {
  for (const auto& [coding, body] : samples_of_text()) {
    for (std::size_t cut = 0; cut <= body.size(); ++cut) {
      const auto decoded =
          decode(coding, {std::string_view(body).substr(0, cut), std::string_view(body).substr(cut)});
      ASSERT_EQ(decoded.error, "") << coding << " cut at " << cut;
      ASSERT_EQ(decoded.text, kText) << coding << " cut at " << cut;
    }
  }
}

TEST(ContentDecoder, UndoesEachCodingByteByByte) {
  for (const auto& [coding, body] : samples_of_text()) {
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < body.size(); ++i) bytes.push_back(std::string_view(body).substr(i, 1));
    const auto decoded = decode(coding, bytes);
    EXPECT_EQ(decoded.error, "") << coding;
    EXPECT_EQ(decoded.text, kText) << coding;
  }
}

TEST(ContentDecoder, NoticesABodyThatEndsAnywhereTooEarly) {
  for (const auto& [coding, body] : samples_of_text()) {
    for (std::size_t length = 1; length < body.size(); ++length) {
      const auto decoded = decode(coding, std::string_view(body).substr(0, length));
      ASSERT_NE(decoded.error.find("ends too early"), std::string::npos)
          << coding << " of " << length << ": " << decoded.error;
    }
  }
}

TEST(ContentDecoder, AnEmptyBodyIsEmptyInEveryCoding) {
  for (const char* coding : {"gzip", "deflate", "br", "zstd", "gzip, br", "identity", ""}) {
    EXPECT_EQ(decode(coding, "").error, "") << coding;
    EXPECT_EQ(decode(coding, "").text, "") << coding;
  }
  for (const auto& [coding, body] : std::vector<Sample>{{"gzip", gzip("")},
                                                        {"deflate", deflated("", kZlib)},
                                                        {"deflate", deflated("", kRaw)},
                                                        {"br", kBrotliNothing},
                                                        {"zstd", zstd("")}}) {
    EXPECT_EQ(decode(coding, body).error, "") << coding;
    EXPECT_EQ(decode(coding, body).text, "") << coding;
  }
}

TEST(ContentDecoder, WithoutACodingHandsBytesThrough) {
  auto decoder = ContentDecoder::make(" identity , ");
  ASSERT_TRUE(decoder);
  EXPECT_TRUE(decoder->is_identity());
  std::string text;
  EXPECT_TRUE(decoder->write("abc", [&](std::string_view bytes) { text += bytes; }));
  EXPECT_TRUE(decoder->finish());
  EXPECT_EQ(text, "abc");
  EXPECT_FALSE(ContentDecoder::make("gzip")->is_identity());
}

TEST(ContentDecoder, BodiesOfAnySizeComeInPieces) {
  std::mt19937 random(1);
  std::string noise(300'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  for (const std::size_t size : {ContentDecoder::kPiece - 1, ContentDecoder::kPiece,
                                 ContentDecoder::kPiece + 1, 2 * ContentDecoder::kPiece, noise.size()}) {
    const std::string part = noise.substr(0, size);
    const std::string even(size, 'x');
    for (const std::string& text : {part, even}) {
      EXPECT_EQ(decode("gzip", gzip(text)).text, text);
      EXPECT_EQ(decode("deflate", deflated(text, kRaw)).text, text);
      EXPECT_EQ(decode("zstd", zstd(text)).text, text);
      EXPECT_EQ(decode("gzip, gzip", gzip(gzip(text))).text, text);
      EXPECT_EQ(decode("gzip", gzip(text)).error, "");
      EXPECT_EQ(decode("zstd", zstd(text)).error, "");
    }
  }
}

// The decoder's buffer may be full just when the last byte of input was taken.
TEST(ContentDecoder, LeavesNothingInTheDecoderWhenTheInputIsUsedUp) {
  const std::string many(3 * ContentDecoder::kPiece, 'x');
  for (std::size_t over = 0; over < 3000; over += 7) {
    const std::string_view text = std::string_view(many).substr(0, ContentDecoder::kPiece + over);
    const auto decoded = decode("deflate", deflated(text, kRaw));
    ASSERT_EQ(decoded.error, "") << over;
    ASSERT_EQ(decoded.text.size(), text.size()) << over;
  }
}

TEST(ContentDecoder, HandsOverAllThatHasComeSoFar) {
  const std::string text(10 * ContentDecoder::kPiece, 'x');
  const std::unique_ptr<ZSTD_CCtx, decltype([](ZSTD_CCtx* c) { ZSTD_freeCCtx(c); })> context(
      ZSTD_createCCtx());
  std::string body(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{body.data(), body.size(), 0};
  ASSERT_EQ(ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_flush), 0U);
  EXPECT_EQ(decode("zstd", std::string_view(body).substr(0, out.pos)).text.size(), text.size());
}

TEST(ContentDecoder, ABombIsNeverInMemoryAsAWhole) {
  const std::string many(16 << 20, '\0');
  for (const auto& [coding, body, size] :
       {std::tuple("gzip", gzip(many), many.size()), std::tuple("zstd", zstd(many), many.size()),
        std::tuple("br", kBrotliBomb, std::size_t{4} << 20),
        std::tuple("gzip, gzip", gzip(gzip(many)), many.size())}) {
    auto decoder = ContentDecoder::make(coding);
    std::size_t total = 0;
    const auto written = decoder->write(body, [&](std::string_view bytes) {
      ASSERT_LE(bytes.size(), ContentDecoder::kPiece);
      total += bytes.size();
    });
    EXPECT_TRUE(written) << coding;
    EXPECT_TRUE(decoder->finish()) << coding;
    EXPECT_EQ(total, size) << coding;
  }
}

TEST(ContentDecoder, FurtherMembersAndFramesBelongToTheBody) {
  const std::string skippable("\x53\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  for (const auto& [coding, body] : std::vector<Sample>{{"gzip", gzip("one ") + gzip("two")},
                                                        {"zstd", zstd("one ") + skippable + zstd("two")}}) {
    for (std::size_t cut = 0; cut <= body.size(); ++cut) {
      const auto decoded =
          decode(coding, {std::string_view(body).substr(0, cut), std::string_view(body).substr(cut)});
      ASSERT_EQ(decoded.text, "one two") << coding << " cut at " << cut;
      ASSERT_EQ(decoded.error, "");
    }
    EXPECT_NE(decode(coding, std::string_view(body).substr(0, body.size() - 1)).error, "");
  }
}

TEST(ContentDecoder, WhatFollowsTheDataIsIgnored) {
  for (const auto& [coding, body] : samples_of_text()) {
    for (const std::string& trailing : {std::string("\n"), std::string(1, '\0'), std::string("\x1f"),
                                        std::string("garbage garbage"), std::string("\x28\xb5")}) {
      const auto decoded = decode(coding, body + trailing);
      EXPECT_EQ(decoded.text, kText) << coding;
      EXPECT_EQ(decoded.error, "") << coding;
    }
  }
}

TEST(ContentDecoder, BrokenDataNamesItsCoding) {
  EXPECT_EQ(decode("gzip", "this is not gzip").error, "Broken body: gzip: incorrect header check");
  EXPECT_TRUE(decode("deflate", "\xff\xff\xff").error.starts_with("Broken body: deflate: "));
  EXPECT_TRUE(decode("br", std::string(64, '\xff')).error.starts_with("Broken body: br: "));
  EXPECT_TRUE(decode("zstd", "this is not zstd").error.starts_with("Broken body: zstd: "));
  EXPECT_TRUE(decode("gzip, zstd", zstd("this is not gzip")).error.starts_with("Broken body: gzip: "));
  std::string wrong_sum = gzip(kText);
  wrong_sum[wrong_sum.size() - 5] = static_cast<char>(wrong_sum[wrong_sum.size() - 5] ^ 1);
  EXPECT_EQ(decode("gzip", wrong_sum).error, "Broken body: gzip: incorrect data check");
}

TEST(ContentDecoder, AChangedByteDoesNoHarmAndAChecksumNoticesIt) {
  for (const auto& [coding, body] : samples_of_text()) {
    const bool has_checksum = coding != "br" && coding != "zstd" && coding != "deflate";
    for (std::size_t i = 0; i < body.size(); ++i) {
      for (const int bit : {0, 3, 7}) {
        std::string changed = body;
        changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
        const auto decoded = decode(coding, changed);
        if (has_checksum && decoded.error.empty()) {
          EXPECT_EQ(decoded.text, kText) << coding << " at " << i;
        }
      }
    }
  }
}

TEST(ContentDecoder, AZstdFrameThatNeedsALargerWindowThanTheWebsIsRefused) {
  const std::string text(10 << 20, 'x');
  EXPECT_EQ(decode("zstd", zstd(text, 23)).error, "");
  EXPECT_NE(decode("zstd", zstd(text, 24)).error, "");
}

TEST(ContentDecoder, AnUnknownCodingIsNamed) {
  const auto decoder = ContentDecoder::make("gzip, comp\x01ress");
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().message,
            "Unknown Content-Encoding 'comp?ress'; known are deflate, gzip, br, zstd");
}

TEST(ContentDecoder, TooManyCodingsAreRefused) {
  EXPECT_TRUE(ContentDecoder::make("gzip,gzip,gzip,gzip,gzip"));
  EXPECT_FALSE(ContentDecoder::make("gzip,gzip,gzip,gzip,gzip,gzip"));
}

TEST(ContentDecoder, AcceptsWhatItUndoes) {
  std::string_view list = kAcceptEncoding;
  int codings = 0;
  while (!list.empty()) {
    const std::string_view coding = list.substr(0, list.find(", "));
    EXPECT_FALSE(ContentDecoder::make(coding)->is_identity()) << coding;
    list.remove_prefix(std::min(coding.size() + 2, list.size()));
    ++codings;
  }
  EXPECT_EQ(codings, 4);
}

}  // namespace
}  // namespace h2park::client
