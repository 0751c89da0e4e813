// SPDX-License-Identifier: MIT
// ValueWriter: visits the elements of a Value; a derived class writes the bytes of each.
#pragma once

#include <trunkline/value.h>

#include <string>
#include <string_view>

namespace trunkline::codec {

/// Enforces the rules of value_limits.h and UTF-8, and records where in the value an error occurred.
class ValueWriter {
 public:
  virtual ~ValueWriter() = default;
  /// Appends the value; on error nothing is appended. Errors: internal, "encode <codec>: at /a/0: <reason>".
  Status write(std::string_view codec, const Value& value, BufferWriter& out);

 protected:
  /// These functions append one element to out(). They return "", or the reason of an error, which ends the encoding.
  /// Texts and names are valid UTF-8.
  virtual std::string_view scalar(const Value& value) = 0;
  virtual std::string_view begin(const Value& container) = 0;
  virtual std::string_view member_name(std::string_view name) = 0;
  /// Called between two elements or members.
  virtual void separate() = 0;
  virtual void end(const Value& container) = 0;

  BufferWriter& out() noexcept { return *out_; }

 private:
  std::string_view walk(const Value& value, std::size_t depth);
  std::string_view walk_array(const Value::Array& elements, std::size_t depth);
  std::string_view walk_object(const Value::Object& members, std::size_t depth);

  BufferWriter* out_ = nullptr;
  std::string path_;
};

}  // namespace trunkline::codec
