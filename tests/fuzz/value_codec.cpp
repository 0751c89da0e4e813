// SPDX-License-Identifier: MIT
// Fuzz target: the codec named by TRUNKLINE_FUZZED decodes the input as a Value; what it accepts must encode, and
// decode to the same again.
#include <trunkline/codec.h>
#include <trunkline/value.h>

#include <fuzz/requirement.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  // Few nodes, so that inputs of a fuzzer's size reach the limit.
  static const CodecRegistry registry = CodecRegistry::with_defaults({.max_value_nodes = 256});
  static const Codec& codec = *registry.find(TRUNKLINE_FUZZED);
  const Slice payload = Slice::copy_of(ByteSpan(reinterpret_cast<const std::byte*>(data), size));
  Value value;
  const Status status = codec.decode(payload, MutableMessageView::of(value));
  fuzz::require(status.is_ok() || status.code() == StatusCode::invalid_argument ||
                status.code() == StatusCode::resource_exhausted);
  if (!status.is_ok()) return 0;
  BufferWriter first;
  fuzz::require(codec.encode(MessageView::of(value), first).is_ok());
  const Slice encoded = first.take();
  Value again;
  fuzz::require(codec.decode(encoded, MutableMessageView::of(again)).is_ok());
  // Compared as encoded, because NaN is equal to nothing.
  BufferWriter second;
  fuzz::require(codec.encode(MessageView::of(again), second).is_ok());
  fuzz::require(second.take() == encoded);
  return 0;
}
