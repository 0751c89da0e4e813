// SPDX-License-Identifier: MIT
// ProtobufJsonWriter: writes fields by reflection, and the forms of the well-known types.
#include <codec/protobuf_json_writer.h>

#include <base/utf8.h>
#include <codec/base64.h>
#include <codec/json_text.h>
#include <codec/protobuf_any.h>
#include <codec/well_known_text.h>
#include <codec/well_known_type.h>

#include <charconv>
#include <cmath>
#include <memory>

namespace trunkline::codec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

SecondsAndNanos read_time(const Message& message) {
  const Descriptor& type = *message.GetDescriptor();
  const Reflection& access = *message.GetReflection();
  return {.seconds = access.GetInt64(message, type.FindFieldByNumber(1)),
          .nanos = access.GetInt32(message, type.FindFieldByNumber(2))};
}

}  // namespace

bool ProtobufJsonWriter::write_message(const Source& source, unsigned levels) {
  if (levels == 0) return fail("nesting exceeds 100 levels");
  if (is_wrapper(source.type)) return write_value(source, *source.type.FindFieldByNumber(1), -1, levels);
  switch (source.type.well_known_type()) {
    case Descriptor::WELLKNOWNTYPE_ANY:
      return write_any(source, levels);
    case Descriptor::WELLKNOWNTYPE_FIELDMASK:
      return write_field_mask(source);
    case Descriptor::WELLKNOWNTYPE_DURATION:
      return write_time(source, false);
    case Descriptor::WELLKNOWNTYPE_TIMESTAMP:
      return write_time(source, true);
    case Descriptor::WELLKNOWNTYPE_VALUE:
      return write_dynamic_value(source, levels);
    case Descriptor::WELLKNOWNTYPE_LISTVALUE:
      return write_list(source, *source.type.FindFieldByNumber(1), levels);
    case Descriptor::WELLKNOWNTYPE_STRUCT:
      return write_map(source, *source.type.FindFieldByNumber(1), levels);
    default:
      out_.append("{");
      if (!write_fields(source, levels, false)) return false;
      out_.append("}");
      return true;
  }
}

bool ProtobufJsonWriter::write_fields(const Source& source, unsigned levels, bool needs_comma) {
  const Message& message = source.message;
  const Reflection& access = source.access;
  const int count = source.type.field_count();
  for (int i = 0; i < count; ++i) {
    const FieldDescriptor& field = *source.type.field(i);
    const bool is_set = field.is_repeated() ? access.FieldSize(message, &field) > 0 : access.HasField(message, &field);
    if (!is_set && (!shows_defaults_ || field.has_presence())) continue;
    if (std::exchange(needs_comma, true)) out_.append(",");
    write_name(field);
    if (!write_field(source, field, levels)) return false;
  }
  if (source.type.extension_range_count() == 0) return true;
  std::vector<const FieldDescriptor*> fields;
  access.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!field->is_extension()) continue;
    if (std::exchange(needs_comma, true)) out_.append(",");
    out_.append("\"[");
    out_.append(std::string_view(field->full_name()));
    out_.append("]\":");
    if (!write_field(source, *field, levels)) return false;
  }
  return true;
}

bool ProtobufJsonWriter::write_field(const Source& source, const Field& field, unsigned levels) {
  const bool is_written = field.is_map()        ? write_map(source, field, levels)
                          : field.is_repeated() ? write_list(source, field, levels)
                                                : write_value(source, field, -1, levels);
  return is_written || fail_in(field.name());
}

bool ProtobufJsonWriter::write_list(const Source& source, const Field& field, unsigned levels) {
  const int size = source.access.FieldSize(source.message, &field);
  out_.append("[");
  for (int i = 0; i < size; ++i) {
    if (i > 0) out_.append(",");
    if (!write_value(source, field, i, levels)) return fail_in("[" + std::to_string(i) + "]");
  }
  out_.append("]");
  return true;
}

bool ProtobufJsonWriter::write_map(const Source& source, const Field& field, unsigned levels) {
  const int size = source.access.FieldSize(source.message, &field);
  const FieldDescriptor& key = *field.message_type()->map_key();
  const FieldDescriptor& value = *field.message_type()->map_value();
  out_.append("{");
  for (int i = 0; i < size; ++i) {
    if (i > 0) out_.append(",");
    const Source entry(source.access.GetRepeatedMessage(source.message, &field, i));
    if (!write_key(entry, key) || !write_value(entry, value, -1, levels)) {
      return fail_in("[" + std::to_string(i) + "]");
    }
  }
  out_.append("}");
  return true;
}

bool ProtobufJsonWriter::write_key(const Source& entry, const Field& key) {
  switch (key.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      out_.append(entry.access.GetBool(entry.message, &key) ? "\"true\"" : "\"false\"");
      break;
    case FieldDescriptor::CPPTYPE_INT32:
      write_integer(entry.access.GetInt32(entry.message, &key), true);
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      write_integer(entry.access.GetUInt32(entry.message, &key), true);
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      if (!write_text(entry.access.GetStringReference(entry.message, &key, &scratch_))) return false;
      break;
    default:
      if (!write_value(entry, key, -1, 0)) return false;
      break;
  }
  out_.append(":");
  return true;
}

bool ProtobufJsonWriter::write_value(const Source& source, const Field& field, int index, unsigned levels) {
  const Message& message = source.message;
  const Reflection& access = source.access;
  const bool is_single = index < 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      write_integer(is_single ? access.GetInt32(message, &field) : access.GetRepeatedInt32(message, &field, index),
                    false);
      return true;
    case FieldDescriptor::CPPTYPE_UINT32:
      write_integer(is_single ? access.GetUInt32(message, &field) : access.GetRepeatedUInt32(message, &field, index),
                    false);
      return true;
    case FieldDescriptor::CPPTYPE_INT64:
      write_integer(is_single ? access.GetInt64(message, &field) : access.GetRepeatedInt64(message, &field, index),
                    true);
      return true;
    case FieldDescriptor::CPPTYPE_UINT64:
      write_integer(is_single ? access.GetUInt64(message, &field) : access.GetRepeatedUInt64(message, &field, index),
                    true);
      return true;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      write_real(is_single ? access.GetDouble(message, &field) : access.GetRepeatedDouble(message, &field, index));
      return true;
    case FieldDescriptor::CPPTYPE_FLOAT:
      write_real(is_single ? access.GetFloat(message, &field) : access.GetRepeatedFloat(message, &field, index));
      return true;
    case FieldDescriptor::CPPTYPE_BOOL: {
      const bool value = is_single ? access.GetBool(message, &field) : access.GetRepeatedBool(message, &field, index);
      out_.append(value ? "true" : "false");
      return true;
    }
    case FieldDescriptor::CPPTYPE_ENUM:
      write_enum(field, is_single ? access.GetEnumValue(message, &field)
                                  : access.GetRepeatedEnumValue(message, &field, index));
      return true;
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string& content = is_single ? access.GetStringReference(message, &field, &scratch_)
                                             : access.GetRepeatedStringReference(message, &field, index, &scratch_);
      if (field.type() != FieldDescriptor::TYPE_BYTES) return write_text(content);
      out_.append("\"");
      append_base64(as_bytes(content), out_);
      out_.append("\"");
      return true;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return write_message(
          is_single ? access.GetMessage(message, &field) : access.GetRepeatedMessage(message, &field, index),
          levels - 1);
  }
  return fail("the field's type is unknown");
}

// --- well-known types ---

bool ProtobufJsonWriter::write_any(const Source& source, unsigned levels) {
  const ProtobufAny any(source.message);
  if (any.type_url().empty() && any.value().empty()) {
    out_.append("{}");
    return true;
  }
  const std::unique_ptr<Message> content = any.make_content(any.type_url());
  if (content == nullptr) return fail("the type of an Any is unknown");
  if (!content->ParsePartialFromString(any.value())) return fail("an Any does not hold what it says");
  out_.append("{\"@type\":");
  if (!write_text(any.type_url())) return false;
  if (has_json_of_its_own(*content->GetDescriptor())) {
    out_.append(",\"value\":");
    if (!write_message(*content, levels - 1)) return false;
  } else if (levels == 1) {
    return fail("nesting exceeds 100 levels");
  } else if (!write_fields(*content, levels - 1, true)) {
    return false;
  }
  out_.append("}");
  return true;
}

bool ProtobufJsonWriter::write_field_mask(const Source& source) {
  const FieldDescriptor& paths = *source.type.FindFieldByNumber(1);
  const int size = source.access.FieldSize(source.message, &paths);
  out_.append("\"");
  for (int i = 0; i < size; ++i) {
    if (i > 0) out_.append(",");
    const std::string& path = source.access.GetRepeatedStringReference(source.message, &paths, i, &scratch_);
    const bool is_plain = plain_json_size(path) == path.size() && base::is_utf8(path);
    if (!is_plain || !append_camel_case_path(path, out_)) return fail("a path of a FieldMask has no JSON form");
  }
  out_.append("\"");
  return true;
}

bool ProtobufJsonWriter::write_time(const Source& source, bool is_timestamp) {
  const SecondsAndNanos time = read_time(source.message);
  out_.append("\"");
  if (!(is_timestamp ? append_timestamp(time, out_) : append_duration(time, out_))) return fail("the time is invalid");
  out_.append("\"");
  return true;
}

bool ProtobufJsonWriter::write_dynamic_value(const Source& source, unsigned levels) {
  const Message& message = source.message;
  const Reflection& access = source.access;
  const FieldDescriptor* const kind = access.GetOneofFieldDescriptor(message, source.type.oneof_decl(0));
  if (kind == nullptr) return fail("a Value holds nothing");
  if (kind->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE && !std::isfinite(access.GetDouble(message, kind))) {
    return fail("a Value holds no finite number");
  }
  return write_value(source, *kind, -1, levels);
}

// --- scalars ---

bool ProtobufJsonWriter::write_text(const std::string& content) {
  if (!base::is_utf8(content)) return fail("the text is not UTF-8");
  append_json_text(content, out_);
  return true;
}

void ProtobufJsonWriter::write_name(const Field& field) {
  append_json_text(field.json_name(), out_);
  out_.append(":");
}

template <class Integer>
void ProtobufJsonWriter::write_integer(Integer number, bool is_quoted) {
  constexpr std::size_t most_bytes = 24;
  char* const begin = reinterpret_cast<char*>(out_.prepare(most_bytes).data());
  char* at = begin;
  if (is_quoted) *at++ = '"';
  at = std::to_chars(at, begin + most_bytes, number).ptr;
  if (is_quoted) *at++ = '"';
  out_.advance(static_cast<std::size_t>(at - begin));
}

template <class Real>
void ProtobufJsonWriter::write_real(Real number) {
  if (std::isnan(number)) return out_.append("\"NaN\"");
  if (std::isinf(number)) return out_.append(number < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  constexpr std::size_t most_bytes = 32;
  char* const begin = reinterpret_cast<char*>(out_.prepare(most_bytes).data());
  const char* const end = std::to_chars(begin, begin + most_bytes, number).ptr;
  out_.advance(static_cast<std::size_t>(end - begin));
}

void ProtobufJsonWriter::write_enum(const Field& field, int number) {
  if (is_null_value(field)) return out_.append("null");
  const auto* const value = field.enum_type()->FindValueByNumber(number);
  if (value == nullptr) return write_integer(number, false);
  out_.append("\"");
  out_.append(std::string_view(value->name()));
  out_.append("\"");
}

// --- errors ---

bool ProtobufJsonWriter::fail(std::string_view reason) {
  reason_ = reason;
  return false;
}

bool ProtobufJsonWriter::fail_in(std::string_view place) {
  const bool is_joined = path_.empty() || path_.starts_with('[');
  path_ = std::string(place).append(is_joined ? "" : ".").append(path_);
  return false;
}

std::string ProtobufJsonWriter::error() const { return path_.empty() ? reason_ : "field " + path_ + ": " + reason_; }

}  // namespace trunkline::codec
