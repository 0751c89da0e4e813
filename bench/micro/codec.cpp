// SPDX-License-Identifier: MIT
// How long each codec takes to encode and decode a message of text, numbers or a struct, by its size.
#include "micro/measurement.h"

#include <trunkline/codec.h>
#include <trunkline/plain.h>
#include <trunkline/value.h>
#ifdef TRUNKLINE_HAS_PROTOBUF
#include <trunkline/protobuf.h>

#include <google/protobuf/wrappers.pb.h>
#endif

#include <benchmark/benchmark.h>

namespace trunkline {
namespace {

constexpr std::int64_t smallest = 8;
constexpr std::int64_t largest = 1 << 20;

const Codec& codec(std::string_view name) {
  static const CodecRegistry registry = CodecRegistry::with_defaults();
  return *registry.find(name);
}

/// One codec with the message it is measured on.
struct Bytes {
  using Message = std::string;
  static constexpr std::string_view name = "bytes";
  static Message make(const std::string& text) { return text; }
  static bool equal(const Message& a, const Message& b) { return a == b; }
};

/// Shares the payload instead of copying it.
struct Shared {
  using Message = Slice;
  static constexpr std::string_view name = "bytes";
  static Message make(const std::string& text) { return Slice::copy_of(text); }
  static bool equal(const Message& a, const Message& b) { return a == b; }
};

template <const char* codec_name>
struct ValueText {
  using Message = Value;
  static constexpr std::string_view name = codec_name;
  static Message make(const std::string& text) { return Value::object({{"text", text}}); }
  static bool equal(const Message& a, const Message& b) { return a == b; }
};

/// An array of small numbers of about as many bytes.
template <const char* codec_name>
struct ValueNumbers {
  using Message = Value;
  static constexpr std::string_view name = codec_name;
  static Message make(const std::string& text) {
    Value::Array numbers;
    for (std::size_t i = 0; i < text.size() / 4; ++i) numbers.emplace_back(static_cast<std::int64_t>(i % 1000));
    return numbers;
  }
  static bool equal(const Message& a, const Message& b) { return a == b; }
};

/// Records of a text and numbers, of about as many bytes.
struct Record {
  std::string name;
  std::int64_t count = 0;
  double weight = 0;
  std::vector<std::int32_t> points;
  bool operator==(const Record&) const = default;
};
template <const char* codec_name>
struct PlainRecords {
  using Message = std::vector<Record>;
  static constexpr std::string_view name = codec_name;
  static Message make(const std::string& text) {
    return Message((text.size() + 31) / 32, Record{"a record", 123456, 0.5, {1, 2, 3}});
  }
  static bool equal(const Message& a, const Message& b) { return a == b; }
};

constexpr char json[] = "json";
constexpr char msgpack[] = "msgpack";
using Json = ValueText<json>;
using Msgpack = ValueText<msgpack>;
using JsonNumbers = ValueNumbers<json>;
using MsgpackNumbers = ValueNumbers<msgpack>;
using JsonRecords = PlainRecords<json>;
using MsgpackRecords = PlainRecords<msgpack>;

#ifdef TRUNKLINE_HAS_PROTOBUF
template <const char* codec_name>
struct ProtobufText {
  using Message = google::protobuf::StringValue;
  static constexpr std::string_view name = codec_name;
  static Message make(const std::string& text) {
    Message message;
    message.set_value(text);
    return message;
  }
  static bool equal(const Message& a, const Message& b) { return a.value() == b.value(); }
};
constexpr char protobuf[] = "protobuf";
using Protobuf = ProtobufText<protobuf>;
using ProtobufJson = ProtobufText<json>;
#endif

/// The encoded message; ends the benchmark with an error unless it decodes to the same.
template <class Subject>
Slice verified(benchmark::State& state, const typename Subject::Message& message) {
  BufferWriter out;
  typename Subject::Message back;
  Status status = codec(Subject::name).encode(MessageView::of(message), out);
  const Slice payload = out.take();
  if (status.is_ok()) status = codec(Subject::name).decode(payload, MutableMessageView::of(back));
  if (!status.is_ok()) {
    state.SkipWithError(status.to_string().c_str());
  } else if (!Subject::equal(message, back)) {
    state.SkipWithError("the decoded message differs");
  }
  return payload;
}

template <class Subject>
void BM_Encode(benchmark::State& state) {
  const auto message = Subject::make(std::string(static_cast<std::size_t>(state.range(0)), 'x'));
  const Slice payload = verified<Subject>(state, message);
  BufferWriter out;
  bench::Measurement measurement(state);
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(codec(Subject::name).encode(MessageView::of(message), out));
    benchmark::ClobberMemory();
  }
  measurement.finish(1, payload.size());
}

template <class Subject>
void BM_Decode(benchmark::State& state) {
  const auto message = Subject::make(std::string(static_cast<std::size_t>(state.range(0)), 'x'));
  const Slice payload = verified<Subject>(state, message);
  typename Subject::Message back;
  bench::Measurement measurement(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(codec(Subject::name).decode(payload, MutableMessageView::of(back)));
    benchmark::ClobberMemory();
  }
  measurement.finish(1, payload.size());
}

#define TRUNKLINE_BENCHMARK_CODEC(subject)                                                                \
  BENCHMARK_TEMPLATE(BM_Encode, subject)->ArgName("bytes")->RangeMultiplier(8)->Range(smallest, largest); \
  BENCHMARK_TEMPLATE(BM_Decode, subject)->ArgName("bytes")->RangeMultiplier(8)->Range(smallest, largest)

TRUNKLINE_BENCHMARK_CODEC(Bytes);
TRUNKLINE_BENCHMARK_CODEC(Shared);
TRUNKLINE_BENCHMARK_CODEC(Json);
TRUNKLINE_BENCHMARK_CODEC(JsonNumbers);
TRUNKLINE_BENCHMARK_CODEC(Msgpack);
TRUNKLINE_BENCHMARK_CODEC(MsgpackNumbers);
TRUNKLINE_BENCHMARK_CODEC(JsonRecords);
TRUNKLINE_BENCHMARK_CODEC(MsgpackRecords);
#ifdef TRUNKLINE_HAS_PROTOBUF
TRUNKLINE_BENCHMARK_CODEC(Protobuf);
TRUNKLINE_BENCHMARK_CODEC(ProtobufJson);

/// The direct form, which a call uses where it can.
void BM_EncodeProtobufDirect(benchmark::State& state) {
  const auto message = Protobuf::make(std::string(static_cast<std::size_t>(state.range(0)), 'x'));
  const Slice payload = verified<Protobuf>(state, message);
  const MessageView view = MessageView::of(message);
  BufferWriter out;
  bench::Measurement measurement(state);
  for (auto _ : state) {
    out.clear();
    const std::size_t size = view.type->size(view.object);
    view.type->write(view.object, out.prepare(size).data());
    out.advance(size);
    benchmark::ClobberMemory();
  }
  measurement.finish(1, payload.size());
  if (as_text(out.bytes()) != payload.text()) state.SkipWithError("the direct form differs");
}
BENCHMARK(BM_EncodeProtobufDirect)->ArgName("bytes")->RangeMultiplier(8)->Range(smallest, largest);
#endif

}  // namespace
}  // namespace trunkline
