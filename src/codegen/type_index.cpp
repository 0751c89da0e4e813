// SPDX-License-Identifier: MIT
// Indexes the messages of all files by their full names.
#include "codegen/type_index.h"

#include <utility>

namespace trunkline::codegen {

void TypeIndex::add(const google::protobuf::FileDescriptorProto& file) {
  const std::string scope = file.package().empty() ? std::string() : "." + file.package();
  std::set<std::string>& flat = flat_names_[file.package()];
  for (const auto& message : file.message_type()) {
    add_nested(message, scope, {file.name(), file.package(), {}}, "");
  }
  for (const auto& enumeration : file.enum_type()) flat.insert(enumeration.name());
  if (!file.options().cc_generic_services()) return;
  for (const auto& service : file.service()) flat.insert({service.name(), service.name() + "_Stub"});
}

void TypeIndex::add_nested(const google::protobuf::DescriptorProto& message, const std::string& scope,
                           MessageLocation outer, const std::string& flat_scope) {
  const std::string name = scope + "." + message.name();
  const std::string flat_name = flat_scope + message.name();
  std::set<std::string>& flat = flat_names_[outer.package];
  flat.insert(flat_name);
  outer.path.push_back(message.name());
  for (const auto& nested : message.nested_type()) add_nested(nested, name, outer, flat_name + "_");
  for (const auto& enumeration : message.enum_type()) flat.insert(flat_name + "_" + enumeration.name());
  types_.emplace(name, std::move(outer));
}

const MessageLocation* TypeIndex::find(std::string_view reference) const {
  const auto found = types_.find(reference);
  return found == types_.end() ? nullptr : &found->second;
}

const std::set<std::string>& TypeIndex::flat_names(const std::string& package) const {
  static const std::set<std::string> none;
  const auto found = flat_names_.find(package);
  return found == flat_names_.end() ? none : found->second;
}

}  // namespace trunkline::codegen
