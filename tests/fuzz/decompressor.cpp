// SPDX-License-Identifier: MIT
// Fuzz target: one built-in decompressor, named by TRUNKLINE_FUZZED. The first three bytes of the input are the size to
// decompress to, the rest is given to the decompressor; what it makes must survive being compressed
// again. The same holds for the unsized form, with that size as the limit.
#include <trunkline/compressor.h>

#include <fuzz/requirement.h>

#include <memory>

namespace trunkline::fuzz {
namespace {

constexpr std::size_t max_out_bytes = std::size_t{1} << 20;

/// Memory of exactly its size, so that a sanitizer sees a write past the end.
struct Room {
  explicit Room(std::size_t size) : memory(std::make_unique<std::byte[]>(size)), bytes(memory.get(), size) {}
  std::unique_ptr<std::byte[]> memory;
  MutableByteSpan bytes;
};

void require_round_trip(const Compressor& compressor, ByteSpan content) {
  BufferWriter compressed;
  require(compressor.compress(content, compressed).is_ok());
  const Room back(content.size());
  require(compressor.decompress(compressed.bytes(), back.bytes).is_ok());
  require(as_text(back.bytes) == as_text(content));
}

void require_unsized_round_trip(const Compressor& compressor, ByteSpan content) {
  BufferWriter compressed;
  require(compressor.compress_unsized(content, compressed).is_ok());
  BufferWriter back;
  require(compressor.decompress_unsized(compressed.bytes(), content.size(), back).is_ok());
  require(as_text(back.bytes()) == as_text(content));
}

void try_unsized(const Compressor& compressor, ByteSpan input, std::size_t limit) {
  if (!compressor.has_unsized_form()) return;
  BufferWriter out;
  const Status status = compressor.decompress_unsized(input, limit, out);
  require(status.is_ok() || status.code() == StatusCode::invalid_argument ||
          status.code() == StatusCode::resource_exhausted);
  require(out.size() <= limit);
  if (status.is_ok()) require_unsized_round_trip(compressor, out.bytes());
  require_unsized_round_trip(compressor, input);
}

}  // namespace
}  // namespace trunkline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  static const CompressorRegistry registry = CompressorRegistry::with_defaults();
  static const Compressor& compressor = *registry.find(TRUNKLINE_FUZZED);
  if (size < 3) return 0;
  const std::size_t out_size = (data[0] | data[1] << 8 | data[2] << 16) % (fuzz::max_out_bytes + 1);
  const ByteSpan input(reinterpret_cast<const std::byte*>(data) + 3, size - 3);
  const fuzz::Room out(out_size);
  const Status status = compressor.decompress(input, out.bytes);
  fuzz::require(status.is_ok() || status.code() == StatusCode::invalid_argument);
  if (status.is_ok()) fuzz::require_round_trip(compressor, out.bytes);
  fuzz::require_round_trip(compressor, input);
  fuzz::try_unsized(compressor, input, out_size);
  return 0;
}
