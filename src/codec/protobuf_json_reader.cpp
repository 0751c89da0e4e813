// SPDX-License-Identifier: MIT
// ProtobufJsonReader: reads fields by reflection, and the forms of the well-known types.
#include <codec/protobuf_json_reader.h>

#include <codec/base64.h>
#include <codec/codec_error.h>
#include <codec/json_number.h>
#include <codec/protobuf_any.h>
#include <codec/well_known_text.h>
#include <codec/well_known_type.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

namespace trunkline::codec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Returns true if null is a value of the field, rather than its absence.
bool takes_null(const FieldDescriptor& field) {
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    return field.message_type()->well_known_type() == Descriptor::WELLKNOWNTYPE_VALUE;
  }
  return is_null_value(field);
}

bool is_named(const FieldDescriptor& field, std::string_view name) {
  return field.json_name() == name || field.name() == name;
}

/// Finds a field by its name. `hint` is the index at which it is looked for first.
const FieldDescriptor* find_field(const Descriptor& type, std::string_view name, int hint) {
  const int count = type.field_count();
  if (hint < count && is_named(*type.field(hint), name)) return type.field(hint);
  for (int i = 0; i < count; ++i) {
    if (is_named(*type.field(i), name)) return type.field(i);
  }
  return nullptr;
}

/// Finds an extension, whose name is like "[package.name]".
const FieldDescriptor* find_extension(const Descriptor& type, std::string_view name) {
  if (type.extension_range_count() == 0 || name.size() < 3 || name.front() != '[' || name.back() != ']') return nullptr;
  const auto* const found = type.file()->pool()->FindExtensionByName(std::string(name.substr(1, name.size() - 2)));
  return found != nullptr && found->containing_type() == &type ? found : nullptr;
}

}  // namespace

/// Knows which fields of a message have come.
class ProtobufJsonReader::SeenFields {
 public:
  explicit SeenFields(int count) : more_(count > bits ? static_cast<std::size_t>(count - bits) : 0) {}

  /// Adds a field. Returns false if it has come before.
  bool add(int index) {
    if (index >= bits) {
      const auto place = more_.begin() + (index - bits);
      return !*place && (*place = true);
    }
    const std::uint64_t bit = std::uint64_t{1} << index;
    return (std::exchange(first_, first_ | bit) & bit) == 0;
  }

 private:
  static constexpr int bits = 64;

  std::uint64_t first_ = 0;
  std::vector<bool> more_;
};

bool ProtobufJsonReader::read(Message& message) {
  if (!read_message(message, max_levels)) return false;
  return scanner_.is_at_end() || fail(Problem::syntax);
}

template <class Member>
bool ProtobufJsonReader::read_object(Member&& member) {
  if (!scanner_.take('{')) return mismatch();
  if (scanner_.take('}')) return true;
  do {
    std::string_view name;
    if (!scanner_.read_string(name) || !scanner_.take(':')) return fail(Problem::syntax);
    if (!member(name)) return false;
  } while (scanner_.take(','));
  return scanner_.take('}') || fail(Problem::syntax);
}

bool ProtobufJsonReader::read_message(const Target& target, unsigned levels) {
  if (levels == 0) return fail(Problem::depth);
  if (is_wrapper(target.type)) return read_value(target, *target.type.FindFieldByNumber(1), false, levels);
  switch (target.type.well_known_type()) {
    case Descriptor::WELLKNOWNTYPE_ANY:
      return read_any(target, levels);
    case Descriptor::WELLKNOWNTYPE_FIELDMASK:
      return read_field_mask(target);
    case Descriptor::WELLKNOWNTYPE_DURATION:
      return read_time(target, false);
    case Descriptor::WELLKNOWNTYPE_TIMESTAMP:
      return read_time(target, true);
    case Descriptor::WELLKNOWNTYPE_VALUE:
      return read_dynamic_value(target, levels);
    case Descriptor::WELLKNOWNTYPE_LISTVALUE:
      return read_list(target, *target.type.FindFieldByNumber(1), levels);
    case Descriptor::WELLKNOWNTYPE_STRUCT:
      return read_map(target, *target.type.FindFieldByNumber(1), levels);
    default:
      return read_fields(target, levels, {});
  }
}

bool ProtobufJsonReader::read_fields(const Target& target, unsigned levels, std::string_view own_name) {
  SeenFields seen(target.type.field_count());
  int hint = 0;
  return read_object([&](std::string_view name) {
    if (!own_name.empty() && name == own_name) return scanner_.skip_value(1) || fail(Problem::syntax);
    return read_member(target, name, levels, hint, seen);
  });
}

bool ProtobufJsonReader::read_member(const Target& target, std::string_view name, unsigned levels, int& hint,
                                     SeenFields& seen) {
  const FieldDescriptor* field = find_field(target.type, name, hint);
  if (field != nullptr) {
    hint = field->index() + 1;
    if (!seen.add(field->index())) return fail(Problem::repeated_field), fail_in(field->json_name());
  } else {
    field = find_extension(target.type, name);
    if (field == nullptr) return fail(Problem::unknown_field), fail_in(name);
    if (field->is_repeated() ? target.access.FieldSize(target.message, field) > 0
                             : target.access.HasField(target.message, field)) {
      return fail(Problem::repeated_field), fail_in(field->full_name());
    }
  }
  if (scanner_.peek() == 'n' && (field->is_repeated() || !takes_null(*field))) {
    return scanner_.take_word("null") || fail(Problem::syntax);
  }
  const auto* const oneof = field->real_containing_oneof();
  if (oneof != nullptr && target.access.HasOneof(target.message, oneof)) {
    return fail(Problem::repeated_field), fail_in(field->json_name());
  }
  return read_field(target, *field, levels) || fail_in(field->json_name());
}

bool ProtobufJsonReader::read_field(const Target& target, const Field& field, unsigned levels) {
  if (field.is_map()) return read_map(target, field, levels);
  return field.is_repeated() ? read_list(target, field, levels) : read_value(target, field, false, levels);
}

bool ProtobufJsonReader::read_list(const Target& target, const Field& field, unsigned levels) {
  if (!scanner_.take('[')) return mismatch();
  if (scanner_.take(']')) return true;
  int index = 0;
  do {
    if (!read_value(target, field, true, levels)) return fail_in("[" + std::to_string(index) + "]");
    ++index;
  } while (scanner_.take(','));
  return scanner_.take(']') || fail(Problem::syntax);
}

bool ProtobufJsonReader::read_map(const Target& target, const Field& field, unsigned levels) {
  const FieldDescriptor& key = *field.message_type()->map_key();
  const FieldDescriptor& value = *field.message_type()->map_value();
  std::unordered_set<std::string> keys;
  int index = -1;
  return read_object([&](std::string_view name) {
    ++index;
    const Target entry(*target.access.AddMessage(&target.message, &field));
    std::string canonical;
    bool is_read = read_key(entry, key, name, canonical);
    if (is_read && !keys.insert(std::move(canonical)).second) is_read = fail(Problem::repeated_field);
    if (is_read && read_value(entry, value, false, levels)) return true;
    return fail_in("[" + std::to_string(index) + "]");
  });
}

/// Reads the key of a map. `canonical` is the same for all spellings of a key.
bool ProtobufJsonReader::read_key(const Target& entry, const Field& key, std::string_view text,
                                  std::string& canonical) {
  const auto integer = [&](auto number, auto set) {
    if (!is_json_number(text) || !parse_json_integer(text, number)) return mismatch();
    (entry.access.*set)(&entry.message, &key, number);
    canonical = std::to_string(number);
    return true;
  };
  switch (key.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return integer(std::int32_t{}, &Reflection::SetInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return integer(std::int64_t{}, &Reflection::SetInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return integer(std::uint32_t{}, &Reflection::SetUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return integer(std::uint64_t{}, &Reflection::SetUInt64);
    case FieldDescriptor::CPPTYPE_BOOL:
      if (text != "true" && text != "false") return mismatch();
      entry.access.SetBool(&entry.message, &key, text == "true");
      canonical = text;
      return true;
    default:
      entry.access.SetString(&entry.message, &key, std::string(text));
      canonical = text;
      return true;
  }
}

bool ProtobufJsonReader::read_value(const Target& target, const Field& field, bool is_added, unsigned levels) {
  const auto store = [&](auto&& value, auto set, auto add) {
    if (is_added) {
      (target.access.*add)(&target.message, &field, std::forward<decltype(value)>(value));
    } else {
      (target.access.*set)(&target.message, &field, std::forward<decltype(value)>(value));
    }
    return true;
  };
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: {
      std::int32_t number = 0;
      return read_integer(number) && store(number, &Reflection::SetInt32, &Reflection::AddInt32);
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      std::int64_t number = 0;
      return read_integer(number) && store(number, &Reflection::SetInt64, &Reflection::AddInt64);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      std::uint32_t number = 0;
      return read_integer(number) && store(number, &Reflection::SetUInt32, &Reflection::AddUInt32);
    }
    case FieldDescriptor::CPPTYPE_UINT64: {
      std::uint64_t number = 0;
      return read_integer(number) && store(number, &Reflection::SetUInt64, &Reflection::AddUInt64);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      double number = 0;
      return read_real(number) && store(number, &Reflection::SetDouble, &Reflection::AddDouble);
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      float number = 0;
      return read_real(number) && store(number, &Reflection::SetFloat, &Reflection::AddFloat);
    }
    case FieldDescriptor::CPPTYPE_BOOL: {
      const bool value = scanner_.take_word("true");
      if (!value && !scanner_.take_word("false")) return mismatch();
      return store(value, &Reflection::SetBool, &Reflection::AddBool);
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      int number = 0;
      return read_enum(field, number) && store(number, &Reflection::SetEnumValue, &Reflection::AddEnumValue);
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string content;
      if (field.type() == FieldDescriptor::TYPE_BYTES) {
        if (!read_bytes(content)) return false;
      } else {
        std::string_view text;
        if (!scanner_.read_string(text)) return mismatch();
        content = text;
      }
      if (is_added) {
        target.access.AddString(&target.message, &field, std::move(content));
      } else {
        target.access.SetString(&target.message, &field, std::move(content));
      }
      return true;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (scanner_.peek() == 'n' && !takes_null(field)) return mismatch();
      return read_message(is_added ? *target.access.AddMessage(&target.message, &field)
                                   : *target.access.MutableMessage(&target.message, &field),
                          levels - 1);
  }
  return mismatch();
}

// --- well-known types ---

bool ProtobufJsonReader::read_any(const Target& target, unsigned levels) {
  const std::size_t begin = scanner_.position();
  std::string url;
  if (!find_type_url(url, levels)) return false;
  if (url.empty()) {
    scanner_.seek(begin);
    return scanner_.take('{') && scanner_.take('}') ? true : mismatch();
  }
  const std::unique_ptr<Message> content = ProtobufAny(target.message).make_content(url);
  if (content == nullptr) return mismatch();
  scanner_.seek(begin);
  const bool is_read = has_json_of_its_own(*content->GetDescriptor()) ? read_any_content(*content, levels)
                                                                      : read_fields(*content, levels, "@type");
  if (!is_read) return false;
  ProtobufAny::set(target.message, std::move(url), content->SerializePartialAsString());
  return true;
}

/// Finds the type of an Any, which may stand behind the other members. `url` is empty if there is none.
bool ProtobufJsonReader::find_type_url(std::string& url, unsigned levels) {
  bool is_found = false;
  if (!scanner_.take('{')) return mismatch();
  if (scanner_.take('}')) return true;
  do {
    std::string_view name;
    if (!scanner_.read_string(name) || !scanner_.take(':')) return fail(Problem::syntax);
    if (name == "@type") {
      std::string_view text;
      if (!scanner_.read_string(text) || text.empty()) return mismatch();
      url = text;
      is_found = true;
    } else if (!scanner_.skip_value(2 * levels)) {
      return fail(Problem::syntax);
    }
  } while (!is_found && scanner_.take(','));
  return true;
}

/// Reads an object of "@type" and "value".
bool ProtobufJsonReader::read_any_content(const Target& content, unsigned levels) {
  bool has_type = false;
  bool has_value = false;
  const bool is_read = read_object([&](std::string_view name) {
    if (name == "@type" && !std::exchange(has_type, true)) return scanner_.skip_value(1) || fail(Problem::syntax);
    if (name == "value" && !std::exchange(has_value, true))
      return read_message(content, levels - 1) || fail_in("value");
    return fail(Problem::unknown_field), fail_in(name);
  });
  return is_read && (has_value || mismatch());
}

bool ProtobufJsonReader::read_time(const Target& target, bool is_timestamp) {
  std::string_view text;
  SecondsAndNanos time;
  if (!scanner_.read_string(text)) return mismatch();
  if (!(is_timestamp ? parse_timestamp(text, time) : parse_duration(text, time))) return mismatch();
  target.access.SetInt64(&target.message, target.type.FindFieldByNumber(1), time.seconds);
  target.access.SetInt32(&target.message, target.type.FindFieldByNumber(2), time.nanos);
  return true;
}

bool ProtobufJsonReader::read_field_mask(const Target& target) {
  std::string_view text;
  if (!scanner_.read_string(text)) return mismatch();
  const FieldDescriptor* const paths = target.type.FindFieldByNumber(1);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string path;
    if (!parse_camel_case_path(text.substr(0, comma), path)) return mismatch();
    target.access.AddString(&target.message, paths, std::move(path));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}

bool ProtobufJsonReader::read_dynamic_value(const Target& target, unsigned levels) {
  // The numbers are those of null_value, number_value, string_value, bool_value, struct_value and list_value.
  const auto field = [&](int number) -> const FieldDescriptor& { return *target.type.FindFieldByNumber(number); };
  switch (scanner_.peek()) {
    case 'n':
      if (!scanner_.take_word("null")) return mismatch();
      target.access.SetEnumValue(&target.message, &field(1), 0);
      return true;
    case '"':
      return read_value(target, field(3), false, levels);
    case 't':
    case 'f':
      return read_value(target, field(4), false, levels);
    case '{':
      return read_value(target, field(5), false, levels);
    case '[':
      return read_value(target, field(6), false, levels);
    default:
      return read_value(target, field(2), false, levels);
  }
}

// --- scalars ---

bool ProtobufJsonReader::read_bytes(std::string& content) {
  std::string_view text;
  return (scanner_.read_string(text) && decode_any_base64(text, content)) || mismatch();
}

bool ProtobufJsonReader::read_enum(const Field& field, int& number) {
  const char next = scanner_.peek();
  if (next == 'n' && is_null_value(field)) return scanner_.take_word("null") || mismatch();
  if (next != '"') {
    std::string_view text;
    std::int32_t value = 0;
    if (!scanner_.read_number(text) || !parse_json_integer(text, value)) return mismatch();
    number = value;
    return true;
  }
  std::string_view name;
  if (!scanner_.read_string(name)) return mismatch();
  const auto* const value = field.enum_type()->FindValueByName(std::string(name));
  if (value == nullptr) return mismatch();
  number = value->number();
  return true;
}

/// Reads an integer, which may be a string.
template <class Integer>
bool ProtobufJsonReader::read_integer(Integer& number) {
  std::string_view text;
  if (scanner_.peek() == '"') {
    if (!scanner_.read_string(text) || !is_json_number(text)) return mismatch();
  } else if (!scanner_.read_number(text)) {
    return mismatch();
  }
  return parse_json_integer(text, number) || mismatch();
}

/// Reads a floating-point number, which may be a string.
template <class Real>
bool ProtobufJsonReader::read_real(Real& number) {
  std::string_view text;
  if (scanner_.peek() == '"') {
    if (!scanner_.read_string(text)) return mismatch();
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    if (text == "NaN") return number = std::numeric_limits<Real>::quiet_NaN(), true;
    if (text == "Infinity") return number = infinity, true;
    if (text == "-Infinity") return number = -infinity, true;
    if (!is_json_number(text)) return mismatch();
  } else if (!scanner_.read_number(text)) {
    return mismatch();
  }
  return parse_json_real(text, number) || mismatch();
}

// --- errors ---

bool ProtobufJsonReader::fail_in(std::string_view place) {
  const bool is_joined = path_.empty() || path_.starts_with('[');
  path_ = std::string(place).append(is_joined ? "" : ".").append(path_);
  return false;
}

std::string ProtobufJsonReader::error(const std::string& type) const {
  const std::string path = printable(path_);
  if (problem_ == Problem::unknown_field) return "unknown field " + path + " in " + type;
  if (problem_ == Problem::depth) return "nesting exceeds " + std::to_string(max_levels) + " levels";
  if (path_.empty() || problem_ == Problem::syntax) return "payload is not a valid " + type;
  const bool is_repeated = problem_ == Problem::repeated_field;
  return "field " + path + " of " + type + (is_repeated ? ": it comes twice" : ": value does not match its type");
}

}  // namespace trunkline::codec
