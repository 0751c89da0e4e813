// SPDX-License-Identifier: MIT
// ValueBuilder: builds a Value from the events of a parser and enforces the rules of Values.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/value.h>

#include <codec/value_limits.h>

#include <array>
#include <string>

namespace trunkline::codec {

/// The position of a parser, which is shared with the iterators that feed it.
struct ReadPosition {
  const char* begin = nullptr;
  const char* at = nullptr;
  const char* end = nullptr;
};

/// Builds a Value. The functions for events return false after an error, which error() describes.
class ValueBuilder {
 public:
  /// Builds the Value in `root`. `root` and `position` must outlive the builder.
  ValueBuilder(Value& root, const ReadPosition& position, const CodecLimits& limits)
      : root_(root), position_(position), limits_(limits) {}

  bool scalar(Value value);
  bool text(std::string content);
  bool name(std::string content);
  /// Begin a container. `announced` is the number of elements or members that follow; size_t(-1) if it is unknown.
  bool begin_array(std::size_t announced);
  bool begin_object(std::size_t announced);
  bool end_array();
  bool end_object();
  bool refuse(std::string reason);

  /// Returns a text such as "byte 17 of 20: nesting exceeds 64 levels".
  const std::string& error() const noexcept { return error_; }
  /// Returns true if the error is an exceeded limit, and false for a malformed payload.
  bool is_over_limit() const noexcept { return is_over_limit_; }

 private:
  bool begin(Value container, std::size_t announced, std::size_t least_bytes);
  bool has_room_for(std::size_t nodes);
  Value& place();

  Value& root_;
  const ReadPosition& position_;
  const CodecLimits limits_;
  /// The number of nodes placed so far.
  std::size_t nodes_ = 0;
  std::string name_;
  std::array<Value*, max_value_depth> open_{};
  std::size_t depth_ = 0;
  std::string error_;
  bool is_over_limit_ = false;
};

}  // namespace trunkline::codec
