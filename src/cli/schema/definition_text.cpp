// SPDX-License-Identifier: MIT
// Composes signatures here; protobuf's DebugString prints messages.
#include "cli/schema/definition_text.h"

#include "cli/output/terminal.h"

#include <google/protobuf/descriptor.pb.h>

#include <set>
#include <string_view>
#include <vector>

namespace trunkline::cli::schema {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

constexpr std::string_view indent = "  ";

/// Writes the text as lines that begin with //.
std::string comment_lines(std::string_view comment, std::string_view before) {
  std::string text;
  while (!comment.empty()) {
    const std::size_t end = comment.find('\n');
    const std::string_view line = comment.substr(0, end);
    text.append(before).append("//").append(line.empty() || line.starts_with(' ') ? "" : " ").append(line) += '\n';
    comment.remove_prefix(end == std::string_view::npos ? comment.size() : end + 1);
  }
  return text;
}

template <class Described>
std::string comment_of(const Described& described, std::string_view before) {
  google::protobuf::SourceLocation location;
  if (!described.GetSourceLocation(&location)) return {};
  std::string text = comment_lines(location.leading_comments, before);
  return text + comment_lines(location.trailing_comments, before);
}

std::string side(const Descriptor& type, bool is_stream) {
  return std::string("(") + (is_stream ? "stream " : "") + type.full_name() + ")";
}

/// Returns whether calls may be repeated; empty if the definition does not state it.
const char* idempotency_of(const MethodDescriptor& method) {
  switch (method.options().idempotency_level()) {
    case google::protobuf::MethodOptions::IDEMPOTENT:
      return "idempotent";
    case google::protobuf::MethodOptions::NO_SIDE_EFFECTS:
      return "no side effects";
    default:
      return "";
  }
}

std::string signature(const SchemaMethod& method) {
  const MethodDescriptor& described = *method.descriptor;
  std::string text = "rpc " + described.name() + side(*described.input_type(), described.client_streaming()) +
                     " returns " + side(*described.output_type(), described.server_streaming()) + ";";
  std::string remark;
  if (method.path != described.service()->full_name() + "/" + described.name()) remark = "called as " + method.path;
  if (method.codec != "protobuf") remark += (remark.empty() ? "" : ", ") + std::string("messages are ") + method.codec;
  if (const char* const idempotency = idempotency_of(described); *idempotency != '\0')
    remark += std::string(remark.empty() ? "" : ", ") + idempotency;
  if (described.options().deprecated()) remark += std::string(remark.empty() ? "" : ", ") + "deprecated";
  return remark.empty() ? text : text + "  // " + remark;
}

/// The types that a message contains, each once, in the order of its fields, and each followed by those that it
/// contains. Nested types are part of the text of their outermost type.
class Types {
 public:
  void add(const Descriptor& type) {
    // The loop is no recursion: a server may define any number of types, each with a field of the next.
    std::vector<Type> pending{outermost(type)};
    while (!pending.empty()) {
      const Type next = pending.back();
      pending.pop_back();
      if (!add_text(next) || next.message == nullptr) continue;
      std::vector<Type> contained;
      collect(*next.message, contained);
      pending.insert(pending.end(), contained.rbegin(), contained.rend());
    }
  }
  void add(const EnumDescriptor& type) {
    if (type.containing_type() != nullptr) return add(*type.containing_type());
    add_text({.enumeration = &type});
  }
  std::string text() const {
    std::string all;
    for (const std::string& each : texts_) all += "\n" + each;
    return all;
  }

 private:
  /// A message or an enumeration, not nested in another type; the other member is null.
  struct Type {
    const Descriptor* message = nullptr;
    const EnumDescriptor* enumeration = nullptr;
  };

  static google::protobuf::DebugStringOptions options() {
    google::protobuf::DebugStringOptions options;
    options.include_comments = true;
    return options;
  }
  static Type outermost(const Descriptor& type) {
    const Descriptor* outer = &type;
    while (outer->containing_type() != nullptr) outer = outer->containing_type();
    return {.message = outer};
  }
  /// Collects the types of the fields, also of nested types, which a parser lets be 100 deep.
  static void collect(const Descriptor& type, std::vector<Type>& out) {
    for (int i = 0; i < type.field_count(); ++i) {
      const auto& field = *type.field(i);
      if (field.message_type() != nullptr) out.push_back(outermost(*field.message_type()));
      const EnumDescriptor* const enumeration = field.enum_type();
      if (enumeration == nullptr) continue;
      const Descriptor* const holder = enumeration->containing_type();
      out.push_back(holder != nullptr ? outermost(*holder) : Type{.enumeration = enumeration});
    }
    for (int i = 0; i < type.nested_type_count(); ++i) collect(*type.nested_type(i), out);
  }
  /// Returns false if the text is here already, or if everybody knows it.
  bool add_text(const Type& type) {
    return type.message != nullptr ? add_text_of(*type.message) : add_text_of(*type.enumeration);
  }
  template <class Described>
  bool add_text_of(const Described& type) {
    if (type.file()->package() == "google.protobuf" || !seen_.insert(type.full_name()).second) return false;
    texts_.push_back(type.DebugStringWithOptions(options()));
    return true;
  }

  std::set<std::string> seen_;
  std::vector<std::string> texts_;
};

}  // namespace

std::string describe_service(const ServiceDescriptor& service) {
  std::string text = comment_of(service, "") + "service " + service.full_name() + " {\n";
  for (int i = 0; i < service.method_count(); ++i) {
    const MethodDescriptor& method = *service.method(i);
    const std::string comment = comment_of(method, indent);
    if (i > 0 && !comment.empty()) text += "\n";
    text.append(comment).append(indent).append(signature(info_of(method))) += '\n';
  }
  return output::escaped(text + "}\n", true);
}

std::string describe_method(const SchemaMethod& method) {
  Types types;
  types.add(*method.descriptor->input_type());
  types.add(*method.descriptor->output_type());
  return output::escaped(comment_of(*method.descriptor, "") + signature(method) + "\n" + types.text(), true);
}

std::string describe_type(const google::protobuf::DescriptorPool& pool, const std::string& name) {
  Types types;
  if (const auto* const message = pool.FindMessageTypeByName(name)) {
    types.add(*message);
  } else if (const auto* const enumeration = pool.FindEnumTypeByName(name)) {
    types.add(*enumeration);
  }
  const std::string text = types.text();
  return output::escaped(text.empty() ? text : text.substr(1), true);
}

}  // namespace trunkline::cli::schema
