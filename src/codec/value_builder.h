// SPDX-License-Identifier: MIT
// ValueBuilder: puts a Value together from the events of a parser, and refuses what a Value may not hold.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/value.h>

#include <codec/value_limits.h>

#include <array>
#include <string>

namespace trunkline::codec {

/// How far a parser has read; shared with the iterators that feed it.
struct ReadPosition {
  const char* begin = nullptr;
  const char* at = nullptr;
  const char* end = nullptr;
};

/// Every event returns false once something is refused; error() then says what and where.
class ValueBuilder {
 public:
  /// Builds in place; `root` and `position` outlive the builder.
  ValueBuilder(Value& root, const ReadPosition& position, const CodecLimits& limits)
      : root_(root), position_(position), limits_(limits) {}

  bool scalar(Value value);
  bool text(std::string content);
  bool name(std::string content);
  /// `announced` elements or members are to come; size_t(-1) if that is not known.
  bool begin_array(std::size_t announced);
  bool begin_object(std::size_t announced);
  bool end_array();
  bool end_object();
  bool refuse(std::string reason);

  /// "byte 17 of 20: nesting exceeds 64 levels".
  const std::string& error() const noexcept { return error_; }
  /// The error is that of a limit, not of the payload's form.
  bool is_over_limit() const noexcept { return is_over_limit_; }

 private:
  bool begin(Value container, std::size_t announced, std::size_t least_bytes);
  bool has_room_for(std::size_t nodes);
  Value& place();

  Value& root_;
  const ReadPosition& position_;
  const CodecLimits limits_;
  std::size_t nodes_ = 0;  ///< placed
  std::string name_;
  std::array<Value*, max_value_depth> open_{};
  std::size_t depth_ = 0;
  std::string error_;
  bool is_over_limit_ = false;
};

}  // namespace trunkline::codec
