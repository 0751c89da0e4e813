// SPDX-License-Identifier: MIT
// Fuzz target: the fields of one header block; the first byte of the input says on which frame.
#include "wire/header_block.h"
#include "fuzz/requirement.h"

#include <array>

namespace trunkline::wire {
namespace {

using fuzz::require;

/// What a block says, apart from the bytes it was said in.
struct Content {
  HeaderBlock block;
  Metadata metadata;
  Status status{StatusCode::unknown, ""};
};

bool read_content(ByteSpan fields, FrameType on, Content& out) {
  if (!read_header_block(fields, on, out.block)) return false;
  copy_metadata(out.block, out.metadata);
  copy_details(out.block, out.status);
  require(out.metadata.size() == out.block.metadata_count);
  require(out.status.details().size() == out.block.detail_count);
  return true;
}

void write_content(const Content& content, FrameType on, BufferWriter& out) {
  HeaderBlockWriter writer(out);
  writer.begin();
  if (content.block.has_method) writer.method(content.block.method);
  if (content.block.has_timeout) writer.timeout(content.block.timeout_us);
  if (content.block.has_message_bytes) writer.message_bytes(content.block.message_bytes);
  writer.metadata(content.metadata);
  if (on == FrameType::finish) writer.status_message(content.block.status_message);
  for (const StatusDetail& detail : content.status.details())
    require(writer.status_detail(detail.type_url, detail.value));
  require(writer.finish() == out.size() - block_size_bytes);
}

void require_equal(const Content& a, const Content& b) {
  require(a.block.has_method == b.block.has_method && a.block.method == b.block.method);
  require(a.block.has_timeout == b.block.has_timeout && a.block.timeout_us == b.block.timeout_us);
  require(a.block.has_message_bytes == b.block.has_message_bytes && a.block.message_bytes == b.block.message_bytes);
  require(a.block.status_message == b.block.status_message);
  require(a.metadata == b.metadata);
  require(a.status == b.status);
}

}  // namespace
}  // namespace trunkline::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::wire;
  if (size == 0) return 0;
  const FrameType on = std::array{FrameType::call, FrameType::message, FrameType::finish}[data[0] % 3];
  Content read;
  if (!read_content({reinterpret_cast<const std::byte*>(data) + 1, size - 1}, on, read)) return 0;
  trunkline::BufferWriter out;
  write_content(read, on, out);
  Content again;
  trunkline::fuzz::require(read_content(out.bytes().subspan(block_size_bytes), on, again));
  require_equal(read, again);
  return 0;
}
