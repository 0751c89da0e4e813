// SPDX-License-Identifier: MIT
// MsgpackWriter: writes a Value as MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md).
#pragma once

#include <codec/value_writer.h>

namespace trunkline::codec {

/// Uses the shortest form of each element; a double is always a float 64.
class MsgpackWriter final : public ValueWriter {
 protected:
  std::string_view scalar(const Value& value) override;
  std::string_view begin(const Value& container) override;
  std::string_view member_name(std::string_view name) override;
  void separate() override {}
  void end(const Value&) override {}

 private:
  void number(std::uint8_t format, std::uint64_t value, std::size_t size);
  void unsigned_integer(std::uint64_t value);
  void negative_integer(std::int64_t value);
  std::string_view text(std::string_view content);
  std::string_view bytes(ByteSpan content);
};

}  // namespace trunkline::codec
