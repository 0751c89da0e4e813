// SPDX-License-Identifier: MIT
// ProtobufJsonReader: reads a protobuf message from protobuf's JSON mapping
// (https://protobuf.dev/programming-guides/json/).
#pragma once

#include <codec/json_scanner.h>
#include <codec/reflected.h>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::codec {

/// A strict reader of one text: unknown fields and enum values, fields and keys of maps that come twice, and numbers
/// out of range are errors.
class ProtobufJsonReader {
 public:
  /// The deepest nesting of messages.
  static constexpr unsigned max_levels = 100;

  enum class Problem : std::uint8_t {
    none,
    syntax,
    /// A value does not match the type of its field.
    mismatch,
    unknown_field,
    /// A field, another one of its oneof, or a key of a map has come before.
    repeated_field,
    depth,
  };

  explicit ProtobufJsonReader(std::string_view text) noexcept : scanner_(text) {}

  /// Reads the message, which must be empty; it is unspecified after false. Required fields are not looked for.
  bool read(google::protobuf::Message& message);
  Problem problem() const noexcept { return problem_; }
  /// Says after false what is wrong in the message of this type, and where, without the content of the text but for the
  /// names of its fields.
  std::string error(const std::string& type) const;

 private:
  using Target = Reflected<google::protobuf::Message>;
  using Field = google::protobuf::FieldDescriptor;
  class SeenFields;

  bool read_message(const Target& target, unsigned levels);
  /// Reads an object. `own_name` is a member of it that is not a field: "@type" of an Any.
  bool read_fields(const Target& target, unsigned levels, std::string_view own_name);
  bool read_member(const Target& target, std::string_view name, unsigned levels, int& hint, SeenFields& seen);
  /// Reads any value but null.
  bool read_field(const Target& target, const Field& field, unsigned levels);
  bool read_list(const Target& target, const Field& field, unsigned levels);
  bool read_map(const Target& target, const Field& field, unsigned levels);
  bool read_key(const Target& entry, const Field& key, std::string_view text, std::string& canonical);
  /// Reads a value. `is_added` says that it is added to a list.
  bool read_value(const Target& target, const Field& field, bool is_added, unsigned levels);
  bool read_any(const Target& target, unsigned levels);
  bool read_any_content(const Target& content, unsigned levels);
  bool find_type_url(std::string& url, unsigned levels);
  bool read_time(const Target& target, bool is_timestamp);
  bool read_field_mask(const Target& target);
  bool read_dynamic_value(const Target& target, unsigned levels);
  bool read_bytes(std::string& content);
  bool read_enum(const Field& field, int& number);
  template <class Integer>
  bool read_integer(Integer& number);
  template <class Real>
  bool read_real(Real& number);

  /// Takes an object. `member` is called behind each colon.
  template <class Member>
  bool read_object(Member&& member);

  bool fail(Problem problem) noexcept {
    problem_ = problem;
    return false;
  }
  /// Fails because the next token is not what it has to be: it is of another kind, or there is none.
  bool mismatch() noexcept { return fail(Problem::mismatch); }
  bool fail_in(std::string_view place);

  JsonScanner scanner_;
  Problem problem_ = Problem::none;
  /// The place of the problem, in fields and indices; empty: the message itself.
  std::string path_;
};

}  // namespace trunkline::codec
