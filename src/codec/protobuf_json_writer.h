// SPDX-License-Identifier: MIT
// ProtobufJsonWriter: writes a protobuf message by protobuf's JSON mapping
// (https://protobuf.dev/programming-guides/json/).
#pragma once

#include <codec/reflected.h>

#include <trunkline/slice.h>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <string_view>

namespace trunkline::codec {

/// A writer of one message. Names are those of json_name, enums are names, 64-bit integers are strings, fields without
/// presence are left out if they have their default (or shown, if asked for), and well-known types have their own
/// forms.
class ProtobufJsonWriter {
 public:
  /// Says whether fields without presence that have their default are written, lists and maps among them.
  enum class Defaults : bool { left_out, shown };

  /// The deepest nesting of messages, which readers accept too.
  static constexpr unsigned max_levels = 100;

  explicit ProtobufJsonWriter(BufferWriter& out, Defaults defaults = Defaults::left_out) noexcept
      : out_(out), shows_defaults_(defaults == Defaults::shown) {}

  /// Writes the message. Returns false if there is no JSON for it; something has been appended then.
  bool write(const google::protobuf::Message& message) { return write_message(message, max_levels); }
  /// Says after false which field is wrong, and what is wrong with it.
  std::string error() const;

 private:
  using Source = Reflected<const google::protobuf::Message>;
  using Field = google::protobuf::FieldDescriptor;

  bool write_message(const Source& source, unsigned levels);
  /// Writes the fields. `needs_comma` says that something stands in the object before.
  bool write_fields(const Source& source, unsigned levels, bool needs_comma);
  bool write_field(const Source& source, const Field& field, unsigned levels);
  bool write_list(const Source& source, const Field& field, unsigned levels);
  bool write_map(const Source& source, const Field& field, unsigned levels);
  /// Writes a value. An `index` of -1 says that the field is no list.
  bool write_value(const Source& source, const Field& field, int index, unsigned levels);
  bool write_key(const Source& entry, const Field& key);
  bool write_any(const Source& source, unsigned levels);
  bool write_field_mask(const Source& source);
  bool write_time(const Source& source, bool is_timestamp);
  bool write_dynamic_value(const Source& source, unsigned levels);
  bool write_text(const std::string& content);
  void write_name(const Field& field);
  template <class Integer>
  void write_integer(Integer number, bool is_quoted);
  template <class Real>
  void write_real(Real number);
  void write_enum(const Field& field, int number);

  bool fail(std::string_view reason);
  /// Adds a field, or an element of one, to the front of the path of an error; returns false.
  bool fail_in(std::string_view place);

  BufferWriter& out_;
  const bool shows_defaults_;
  std::string path_;
  std::string reason_;
  std::string scratch_;
};

}  // namespace trunkline::codec
