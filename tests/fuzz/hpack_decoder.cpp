// SPDX-License-Identifier: MIT
// Fuzz target: header blocks of one connection, beside nghttp2's decoder where that is found. The input is a row of
// parts: a byte below 240 is the size of a block, which follows; any other announces a size of the table.
#include "fuzz/requirement.h"
#include "http/hpack/decoder.h"
#include "unit/http/hpack/field_list.h"
#ifdef TRUNKLINE_HAS_NGHTTP2
#include "unit/http/hpack/nghttp2_coding.h"
#endif

#include <optional>

namespace trunkline::http::hpack {
namespace {

using fuzz::require;

const NameIds names({":path", "content-length", "x"}, [](std::string_view, std::string_view value) noexcept {
  return static_cast<std::uint8_t>(value.size());
});

class Connection {
 public:
  void announce(std::uint32_t bytes) {
    decoder_.set_max_table_bytes(bytes);
    small_.set_max_table_bytes(bytes);
#ifdef TRUNKLINE_HAS_NGHTTP2
    inflater_.set_max_table_bytes(bytes);
#endif
  }
  /// False: the block is wrong, which ends the connection.
  bool receive(ByteSpan block) {
    const DecodedBlock decoded = decode_block(decoder_, block);
    require(decoded.step == Decoder::Step::end || decoded.step == Decoder::Step::error);
    require((decoder_.error() != DecodeError::none) == (decoded.step == Decoder::Step::error));
    require(decoder_.table().bytes() <= decoder_.table().max_bytes());
    compare(block, decoded);
    if (decoded.step == Decoder::Step::error) return false;
    // The decoder that drops fields keeps its table in step.
    const DecodedBlock cut = decode_block(small_, block);
    require(cut.step != Decoder::Step::error && cut.fields.size() <= decoded.fields.size());
    require(std::equal(cut.fields.begin(), cut.fields.end(), decoded.fields.begin()));
    require(fields_of(small_.table()) == fields_of(decoder_.table()));
    return true;
  }

 private:
#ifdef TRUNKLINE_HAS_NGHTTP2
  void compare(ByteSpan block, const DecodedBlock& decoded) {
    const std::optional<FieldList> expected = inflater_.decode(block);
    require(expected.has_value() == (decoded.step == Decoder::Step::end));
    if (!expected) return;
    require(*expected == decoded.fields);
    require(inflater_.table() == fields_of(decoder_.table()));
    require(inflater_.table_bytes() == decoder_.table().bytes());
  }

  Nghttp2Inflater inflater_;
#else
  void compare(ByteSpan, const DecodedBlock&) {}
#endif

  Decoder decoder_{names, {.max_list_bytes = 1 << 30}};
  Decoder small_{names, {.max_list_bytes = 150}};
};

}  // namespace
}  // namespace trunkline::http::hpack

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr unsigned longest_block = 239;
  constexpr unsigned size_step = 512;
  trunkline::http::hpack::Connection connection;
  trunkline::ByteSpan rest(reinterpret_cast<const std::byte*>(data), size);
  while (!rest.empty()) {
    const auto part = std::to_integer<unsigned>(rest[0]);
    rest = rest.subspan(1);
    if (part > longest_block) {
      connection.announce((part - longest_block - 1) * size_step);
      continue;
    }
    const trunkline::ByteSpan block = rest.first(std::min<std::size_t>(part, rest.size()));
    rest = rest.subspan(block.size());
    if (!connection.receive(block)) break;
  }
  return 0;
}
