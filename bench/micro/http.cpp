// SPDX-License-Identifier: MIT
// Cost of header blocks: those of a call as load generators repeat it, decoded and encoded, beside nghttp2 where that
// is found. BM_HpackDecode, BM_HpackEncode, BM_Nghttp2Decode, BM_Nghttp2Encode, BM_HuffmanDecode, BM_HuffmanEncode.
#include "http/hpack/decoder.h"
#include "http/hpack/encoder.h"
#include "http/hpack/huffman.h"
#include "http/http2/header_rules.h"
#include "micro/measurement.h"

#include <benchmark/benchmark.h>
#ifdef TRUNKLINE_HAS_NGHTTP2
#include <nghttp2/nghttp2.h>
#endif

#include <memory>
#include <string>
#include <vector>

namespace trunkline::http {
namespace {

using hpack::Indexing;

struct SentField {
  std::string name;
  std::string value;
  Indexing indexing = Indexing::index;
};
using SentFields = std::vector<SentField>;

/// What h2load sends for a call: path and content length are literals in each of them.
SentFields request(const std::string& length = "13") {
  return {{":path", "/load.Echo/Sum", Indexing::without},
          {":scheme", "http"},
          {":authority", "127.0.0.1:50051"},
          {":method", "POST"},
          {"user-agent", "h2load nghttp2/1.52.0"},
          {"content-type", "application/grpc"},
          {"te", "trailers"},
          {"content-length", length, Indexing::without}};
}

SentFields response() { return {{":status", "200"}, {"content-type", "application/grpc"}}; }
SentFields trailers() { return {{"grpc-status", "0"}}; }

using Block = std::vector<std::byte>;

Block encode(hpack::Encoder& encoder, const SentFields& fields) {
  BufferWriter out;
  encoder.begin(out);
  for (const SentField& field : fields) encoder.field(field.name, field.value, field.indexing, out);
  return {out.bytes().begin(), out.bytes().end()};
}

const hpack::NameIds ids({":path", "content-type", "te", "content-length", "user-agent"}, http2::classify_for_table);

/// What a server wants to know of a block: that it is valid, and which path it has. Returns the memo of the path.
std::uint32_t decode(hpack::Decoder& decoder, ByteSpan block) {
  constexpr std::uint8_t path = 1;
  std::uint32_t memo = 0;
  http2::HeaderRules rules(http2::HeaderRules::Section::request);
  hpack::Field field;
  decoder.begin(block);
  while (decoder.next(field) == hpack::Decoder::Step::field) {
    if (!rules.accept(static_cast<http2::FieldKind>(field.kind))) return 0;
    if (field.name_id != path) continue;
    if (*field.memo == 0) *field.memo = field.value == "/load.Echo/Sum" ? 7 : 1;
    memo = *field.memo;
  }
  return rules.is_complete() ? memo : 0;
}

/// The first block of a connection, and those that follow it.
struct Blocks {
  Block first;
  std::vector<Block> repeated;
};

/// `lengths` is how many contents lengths take turns.
Blocks request_blocks(std::size_t lengths) {
  hpack::Encoder encoder;
  Blocks blocks;
  blocks.first = encode(encoder, request());
  for (std::size_t i = 0; i < lengths; ++i) blocks.repeated.push_back(encode(encoder, request(std::to_string(13 + i))));
  return blocks;
}

void BM_HpackDecode(benchmark::State& state) {
  const Blocks blocks = request_blocks(static_cast<std::size_t>(state.range(0)));
  hpack::Decoder decoder(ids);
  if (decode(decoder, blocks.first) != 7) return state.SkipWithError("request does not decode");
  for (const Block& block : blocks.repeated) {
    if (decode(decoder, block) != 7) return state.SkipWithError("request does not decode");
  }

  std::size_t at = 0;
  bench::Measurement measurement(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(decode(decoder, blocks.repeated[at]));
    if (++at == blocks.repeated.size()) at = 0;
  }
  measurement.finish(1, blocks.repeated[0].size());
}
BENCHMARK(BM_HpackDecode)->ArgName("lengths")->Arg(1)->Arg(1000);

/// Headers and trailers of a response, by the encoder. A user that keeps the encoded blocks while revision() lets him
/// pays for two copies instead.
void BM_HpackEncode(benchmark::State& state) {
  hpack::Encoder encoder;
  const SentFields fields = response();
  const SentFields last = trailers();
  BufferWriter out(4096);
  const auto encode_response = [&] {
    out.clear();
    for (const SentFields* block : {&fields, &last}) {
      encoder.begin(out);
      for (const SentField& field : *block) encoder.field(field.name, field.value, field.indexing, out);
    }
  };
  encode_response();
  encode_response();
  if (out.size() != 3) return state.SkipWithError("response is not one byte per field");

  bench::Measurement measurement(state);
  for (auto _ : state) {
    encode_response();
    benchmark::DoNotOptimize(out.bytes().data());
    benchmark::ClobberMemory();
  }
  measurement.finish();
}
BENCHMARK(BM_HpackEncode);

constexpr std::string_view path = "/package.subpackage.ServiceName/MethodName";

void BM_HuffmanDecode(benchmark::State& state) {
  Block encoded(hpack::huffman_size(path));
  hpack::encode_huffman(path, encoded.data());
  std::vector<char> out(hpack::max_decoded_bytes(encoded.size()));
  std::size_t size = 0;
  if (hpack::decode_huffman(encoded, out, size) != hpack::HuffmanResult::complete || size != path.size()) {
    return state.SkipWithError("path does not decode");
  }

  bench::Measurement measurement(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(hpack::decode_huffman(encoded, out, size));
    benchmark::ClobberMemory();
  }
  measurement.finish(1, path.size());
}
BENCHMARK(BM_HuffmanDecode);

void BM_HuffmanEncode(benchmark::State& state) {
  Block encoded(hpack::huffman_size(path));

  bench::Measurement measurement(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(hpack::encode_huffman(path, encoded.data()));
    benchmark::ClobberMemory();
  }
  measurement.finish(1, path.size());
}
BENCHMARK(BM_HuffmanEncode);

#ifdef TRUNKLINE_HAS_NGHTTP2

using Inflater = std::unique_ptr<nghttp2_hd_inflater, decltype(&nghttp2_hd_inflate_del)>;
using Deflater = std::unique_ptr<nghttp2_hd_deflater, decltype(&nghttp2_hd_deflate_del)>;

/// The number of fields; without a check of them.
std::size_t inflate(nghttp2_hd_inflater* inflater, const Block& block) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
  std::size_t rest = block.size();
  std::size_t fields = 0;
  for (int flags = 0; (flags & NGHTTP2_HD_INFLATE_FINAL) == 0;) {
    nghttp2_nv field;
    flags = 0;
    const ssize_t taken = nghttp2_hd_inflate_hd2(inflater, &field, &flags, at, rest, 1);
    if (taken < 0) return 0;
    at += taken;
    rest -= static_cast<std::size_t>(taken);
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) ++fields;
  }
  nghttp2_hd_inflate_end_headers(inflater);
  return fields;
}

void BM_Nghttp2Decode(benchmark::State& state) {
  const Blocks blocks = request_blocks(static_cast<std::size_t>(state.range(0)));
  nghttp2_hd_inflater* made = nullptr;
  if (nghttp2_hd_inflate_new(&made) != 0) return state.SkipWithError("no inflater");
  const Inflater inflater(made, nghttp2_hd_inflate_del);
  if (inflate(made, blocks.first) != 8 || inflate(made, blocks.repeated[0]) != 8) {
    return state.SkipWithError("request does not decode");
  }

  std::size_t at = 0;
  bench::Measurement measurement(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(inflate(made, blocks.repeated[at]));
    if (++at == blocks.repeated.size()) at = 0;
  }
  measurement.finish(1, blocks.repeated[0].size());
}
BENCHMARK(BM_Nghttp2Decode)->ArgName("lengths")->Arg(1)->Arg(1000);

std::vector<nghttp2_nv> nghttp2_fields(SentFields& fields) {
  std::vector<nghttp2_nv> list;
  for (SentField& field : fields) {
    list.push_back({reinterpret_cast<std::uint8_t*>(field.name.data()),
                    reinterpret_cast<std::uint8_t*>(field.value.data()), field.name.size(), field.value.size(),
                    NGHTTP2_NV_FLAG_NONE});
  }
  return list;
}

void BM_Nghttp2Encode(benchmark::State& state) {
  nghttp2_hd_deflater* made = nullptr;
  if (nghttp2_hd_deflate_new(&made, 4096) != 0) return state.SkipWithError("no deflater");
  const Deflater deflater(made, nghttp2_hd_deflate_del);
  SentFields fields = response();
  SentFields last = trailers();
  const std::vector<nghttp2_nv> headers = nghttp2_fields(fields);
  const std::vector<nghttp2_nv> ends = nghttp2_fields(last);
  std::vector<std::uint8_t> out(4096);
  const auto encode_response = [&] {
    const ssize_t size = nghttp2_hd_deflate_hd(made, out.data(), out.size(), headers.data(), headers.size());
    return size + nghttp2_hd_deflate_hd(made, out.data() + size, out.size() - static_cast<std::size_t>(size),
                                        ends.data(), ends.size());
  };
  encode_response();
  if (encode_response() != 3) return state.SkipWithError("response is not one byte per field");

  bench::Measurement measurement(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(encode_response());
    benchmark::ClobberMemory();
  }
  measurement.finish();
}
BENCHMARK(BM_Nghttp2Encode);

#endif

}  // namespace
}  // namespace trunkline::http
