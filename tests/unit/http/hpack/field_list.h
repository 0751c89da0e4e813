// SPDX-License-Identifier: MIT
// FieldList: fields as a test compares them, and blocks of them.
#pragma once

#include "http/hpack/decoder.h"
#include "http/hpack/encoder.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace trunkline::http::hpack {

struct TextField {
  std::string name;
  std::string value;
  bool is_sensitive = false;
  bool operator==(const TextField&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const TextField& field) {
  return out << field.name << ": " << field.value << (field.is_sensitive ? " (sensitive)" : "");
}

using FieldList = std::vector<TextField>;

struct DecodedBlock {
  FieldList fields;
  /// How the block ended.
  Decoder::Step step = Decoder::Step::end;
};

inline DecodedBlock decode_block(Decoder& decoder, ByteSpan block) {
  // A copy of exactly the size, so that a sanitizer detects a read past the end.
  const std::vector<std::byte> bytes(block.begin(), block.end());
  DecodedBlock decoded;
  Field field;
  decoder.begin(bytes);
  while ((decoded.step = decoder.next(field)) == Decoder::Step::field) {
    decoded.fields.push_back({std::string(field.name), std::string(field.value), field.is_sensitive});
  }
  return decoded;
}

/// Sensitive fields are never indexed, the others as `indexing` says.
inline std::vector<std::byte> encode_block(Encoder& encoder, const FieldList& fields,
                                           Indexing indexing = Indexing::index) {
  BufferWriter out;
  encoder.begin(out);
  for (const TextField& field : fields) {
    encoder.field(field.name, field.value, field.is_sensitive ? Indexing::never : indexing, out);
  }
  return {out.bytes().begin(), out.bytes().end()};
}

/// From the newest to the oldest, as RFC 7541 prints tables.
inline FieldList fields_of(const DynamicTable& table) {
  FieldList fields;
  for (std::uint32_t index = 0; index < table.size(); ++index) {
    fields.push_back({std::string(table.name(table[index])), std::string(table.value(table[index]))});
  }
  return fields;
}

/// Fields of which many are alike, of all lengths.
class RandomFields {
 public:
  explicit RandomFields(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_); }
  FieldList list() {
    FieldList fields;
    for (std::size_t i = below(12); i > 0; --i) fields.push_back({name(), value(), below(8) == 0});
    return fields;
  }
  std::string name() {
    static constexpr std::array<std::string_view, 8> known{":path",        "content-length", "cookie", "x-request-id",
                                                           "content-type", "date",           "x",      ":status"};
    return below(3) > 0 ? std::string(known[below(known.size())]) : text(below(4) == 0 ? 200 : 20);
  }
  std::string value() { return below(3) > 0 ? "value-" + std::to_string(below(20)) : text(below(8) == 0 ? 600 : 30); }
  /// Of any bytes, or of letters, for which the Huffman code is shorter.
  std::string text(std::size_t longest) {
    std::string made(below(longest + 1), 'a');
    const bool is_binary = below(2) == 0;
    for (char& character : made) character = static_cast<char>(is_binary ? below(256) : 'a' + below(26));
    return made;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace trunkline::http::hpack
