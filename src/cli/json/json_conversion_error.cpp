// SPDX-License-Identifier: MIT
// explain_conversion_error(): walks over the value and the descriptor together.
#include "cli/json/json_conversion_error.h"

#include "cli/output/suggestion.h"
#include "cli/output/terminal.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace trunkline::cli::json {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using Json = nlohmann::json;

constexpr int max_depth = 100;
constexpr std::string_view well_known = "google.protobuf.";

std::string kind_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return json.get<bool>() ? "true" : "false";
    case Json::value_t::string:
      return "text";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::number_float:
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return "the number " + json.dump();
    default:
      return "something else";
  }
}

/// Returns true for whole numbers as protobuf accepts them, also as texts and with a decimal point ("5", 5.0).
template <class T>
bool is_integer(const Json& json) {
  if (json.is_number_unsigned())
    return json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  if (json.is_number_integer()) return std::in_range<T>(json.get<std::int64_t>());
  if (json.is_number_float()) {
    const double number = json.get<double>();
    return std::floor(number) == number && number >= static_cast<double>(std::numeric_limits<T>::min()) &&
           number <= static_cast<double>(std::numeric_limits<T>::max());
  }
  if (!json.is_string()) return false;
  const auto& text = json.get_ref<const std::string&>();
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_real(const Json& json) {
  if (json.is_number()) return true;
  if (!json.is_string()) return false;
  const auto& text = json.get_ref<const std::string&>();
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return true;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Returns true for base64 in either alphabet, with or without padding.
bool is_base64(const Json& json) {
  if (!json.is_string()) return false;
  std::string_view text = json.get_ref<const std::string&>();
  while (text.ends_with('=')) text.remove_suffix(1);
  const bool has_letters_only =
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") == std::string::npos;
  return has_letters_only && text.size() % 4 != 1;
}

template <class T>
std::string range_of() {
  return "a number from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
         std::to_string(std::numeric_limits<T>::max());
}

std::vector<std::string> value_names(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
  return names;
}

std::string expected_value(const EnumDescriptor& type) {
  constexpr int max_listed = 8;
  std::string text = "one of ";
  for (int i = 0; i < type.value_count() && i < max_listed; ++i) text += (i == 0 ? "" : ", ") + type.value(i)->name();
  return type.value_count() > max_listed ? text + ", ..." : text;
}

/// Returns the field of a wrapper type such as google.protobuf.Int32Value, or null.
const FieldDescriptor* wrapped_field(const Descriptor& type) {
  if (!type.full_name().starts_with(well_known) || !type.full_name().ends_with("Value")) return nullptr;
  if (type.field_count() != 1 || type.field(0)->name() != "value") return nullptr;
  return type.field(0);
}

class Walk {
 public:
  explicit Walk(const google::protobuf::DescriptorPool& pool) : pool_(pool) {}
  std::string message(const Json& json, const Descriptor& type, const std::string& path);

 private:
  std::string field(const Json& json, const FieldDescriptor& field, const std::string& path);
  std::string one(const Json& json, const FieldDescriptor& field, const std::string& path);
  std::string map(const Json& json, const FieldDescriptor& field, const std::string& path);
  std::string members(const Json& json, const Descriptor& type, const std::string& path);
  std::string any(const Json& json, const std::string& path);
  static std::string special(const Json& json, const Descriptor& type, const std::string& path, bool& is_special);
  static std::string unknown(const std::string& name, const Descriptor& type, const std::string& path);

  // The pool of the types that an Any may hold.
  const google::protobuf::DescriptorPool& pool_;
  int depth_ = 0;
};

std::string subject(const std::string& path) {
  return path.empty() ? "the request" : "field '" + output::escaped(path) + "'";
}

std::string mismatch(const std::string& path, const std::string& expected, const Json& found) {
  return subject(path) + ": expected " + expected + ", found " + kind_of(found);
}

std::string member_path(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

const FieldDescriptor* find_field(const Descriptor& type, const std::string& name) {
  for (int i = 0; i < type.field_count(); ++i) {
    if (type.field(i)->json_name() == name || type.field(i)->name() == name) return type.field(i);
  }
  return nullptr;
}

std::string Walk::unknown(const std::string& name, const Descriptor& type, const std::string& path) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->json_name());
  std::string text = "unknown field '" + output::escaped(member_path(path, name)) + "' of " + type.full_name();
  const std::string suggestion = output::did_you_mean(name, names);
  if (!suggestion.empty()) return text + suggestion;
  if (names.empty()) return text + ", which has no fields";
  text += "; it has: ";
  for (std::size_t i = 0; i < names.size() && i < 12; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > 12 ? text + ", ..." : text;
}

std::string Walk::special(const Json& json, const Descriptor& type, const std::string& path, bool& is_special) {
  struct Form {
    std::string_view name;
    std::string_view expected;
    bool (Json::*is)() const noexcept;
  };
  static const Form forms[] = {
      {"Timestamp", "a time such as \"2024-05-01T12:00:00Z\"", &Json::is_string},
      {"Duration", "a duration such as \"1.5s\"", &Json::is_string},
      {"FieldMask", "field names as one text such as \"user.name,photo\"", &Json::is_string},
      {"Struct", "an object", &Json::is_object},
      {"ListValue", "an array", &Json::is_array},
  };
  const std::string& name = type.full_name();
  is_special = name == "google.protobuf.Value";
  for (const Form& form : forms) {
    if (name != std::string(well_known).append(form.name)) continue;
    is_special = true;
    if (!(json.*form.is)()) return mismatch(path, std::string(form.expected), json);
    // The text is malformed: protobuf has refused it, and nothing else can be wrong here.
    if (json.is_string()) return subject(path) + ": expected " + std::string(form.expected);
  }
  return {};
}

std::string Walk::any(const Json& json, const std::string& path) {
  if (!json.is_object()) return mismatch(path, "an object with \"@type\"", json);
  const auto url = json.find("@type");
  if (url == json.end())
    return subject(path) + ": \"@type\" is missing, such as \"type.googleapis.com/package.Message\"";
  if (!url->is_string()) return mismatch(member_path(path, "@type"), "text", *url);
  const std::string name = url->get<std::string>();
  const std::size_t slash = name.rfind('/');
  if (slash == std::string::npos)
    return subject(member_path(path, "@type")) + ": expected a slash before the type's name";
  const Descriptor* const inner = pool_.FindMessageTypeByName(name.substr(slash + 1));
  if (inner == nullptr)
    return subject(member_path(path, "@type")) + ": unknown type '" + output::escaped(name.substr(slash + 1)) + "'";
  if (inner->full_name().starts_with(well_known)) return {};
  Json rest = json;
  rest.erase("@type");
  return message(rest, *inner, path);
}

std::string Walk::members(const Json& json, const Descriptor& type, const std::string& path) {
  if (!json.is_object()) return mismatch(path, "an object (" + type.full_name() + ")", json);
  std::vector<const google::protobuf::OneofDescriptor*> chosen;
  for (const auto& [name, value] : json.items()) {
    const FieldDescriptor* const known = find_field(type, name);
    if (known == nullptr) {
      if (name.starts_with('[')) continue;  // A name in brackets is that of an extension.
      return unknown(name, type, path);
    }
    if (value.is_null()) continue;
    const auto* const one_of = known->real_containing_oneof();
    for (const auto* other : chosen) {
      if (one_of != other || one_of == nullptr) continue;
      return subject(member_path(path, name)) + ": another field of the oneof " + one_of->name() + " is set";
    }
    chosen.push_back(one_of);
    if (std::string reason = field(value, *known, member_path(path, name)); !reason.empty()) return reason;
  }
  return {};
}

std::string Walk::message(const Json& json, const Descriptor& type, const std::string& path) {
  if (++depth_ > max_depth) return subject(path) + ": nesting exceeds " + std::to_string(max_depth) + " levels";
  bool is_special = false;
  std::string reason = special(json, type, path, is_special);
  if (!is_special) {
    const FieldDescriptor* const wrapped = wrapped_field(type);
    if (wrapped != nullptr) {
      reason = one(json, *wrapped, path);
    } else if (type.full_name() == "google.protobuf.Any") {
      reason = any(json, path);
    } else {
      reason = members(json, type, path);
    }
  }
  --depth_;
  return reason;
}

std::string Walk::field(const Json& json, const FieldDescriptor& field, const std::string& path) {
  if (field.is_map()) return map(json, field, path);
  if (!field.is_repeated()) return one(json, field, path);
  if (!json.is_array()) return mismatch(path, "an array", json);
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (std::string reason = one(json[i], field, path + "[" + std::to_string(i) + "]"); !reason.empty()) return reason;
  }
  return {};
}

std::string Walk::map(const Json& json, const FieldDescriptor& field, const std::string& path) {
  if (!json.is_object()) return mismatch(path, "an object", json);
  const FieldDescriptor& key_field = *field.message_type()->map_key();
  for (const auto& [key, value] : json.items()) {
    const std::string at = path + "[\"" + key + "\"]";
    const bool is_boolean = key_field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL;
    if (is_boolean && key != "true" && key != "false")
      return subject(at) + ": the key is neither \"true\" nor \"false\"";
    if (!is_boolean && !one(Json(key), key_field, at).empty())
      return subject(at) + ": the key is not a number in range";
    if (std::string reason = one(value, *field.message_type()->map_value(), at); !reason.empty()) return reason;
  }
  return {};
}

std::string Walk::one(const Json& json, const FieldDescriptor& field, const std::string& path) {
  const auto fits = [&](bool does_fit, const std::string& expected) {
    return does_fit ? std::string() : mismatch(path, expected, json);
  };
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return fits(is_integer<std::int32_t>(json), range_of<std::int32_t>());
    case FieldDescriptor::CPPTYPE_INT64:
      return fits(is_integer<std::int64_t>(json), range_of<std::int64_t>());
    case FieldDescriptor::CPPTYPE_UINT32:
      return fits(is_integer<std::uint32_t>(json), range_of<std::uint32_t>());
    case FieldDescriptor::CPPTYPE_UINT64:
      return fits(is_integer<std::uint64_t>(json), range_of<std::uint64_t>());
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return fits(is_real(json), "a number");
    case FieldDescriptor::CPPTYPE_BOOL:
      return fits(json.is_boolean() || json == "true" || json == "false", "true or false");
    case FieldDescriptor::CPPTYPE_STRING:
      if (field.type() == FieldDescriptor::TYPE_BYTES) return fits(is_base64(json), "base64 text");
      return fits(json.is_string(), "text");
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return message(json, *field.message_type(), path);
    case FieldDescriptor::CPPTYPE_ENUM:
      break;
  }
  const EnumDescriptor& type = *field.enum_type();
  if (type.full_name() == "google.protobuf.NullValue" || is_integer<std::int32_t>(json)) return {};
  if (!json.is_string()) return mismatch(path, expected_value(type), json);
  const auto& name = json.get_ref<const std::string&>();
  if (type.FindValueByName(name) != nullptr) return {};
  const std::vector<std::string> names = value_names(type);
  return subject(path) + ": '" + output::escaped(output::fit_text(name, 60)) + "' is not " + expected_value(type) +
         output::did_you_mean(name, names);
}

}  // namespace

std::string explain_conversion_error(const Json& json, const Descriptor& type) {
  return Walk(*type.file()->pool()).message(json, type, {});
}

}  // namespace trunkline::cli::json
