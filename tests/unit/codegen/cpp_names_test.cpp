// SPDX-License-Identifier: MIT
// C++ names: those of protoc's messages by its releases, and our own.
#include "codegen/cpp_names.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace trunkline::codegen {

namespace {

constexpr ProtocRelease oldest = 12;
constexpr ProtocRelease newest = std::numeric_limits<ProtocRelease>::max();

std::string class_of(const std::string& package, std::vector<std::string> path, ProtocRelease release) {
  return cpp_class_of({"a.proto", package, std::move(path)}, release);
}

ServiceDefinition service_of(const std::string& name, const std::vector<std::string>& methods = {}) {
  ServiceDefinition service;
  service.name = name;
  for (const std::string& method : methods) {
    service.methods.emplace_back();
    service.methods.back().name = method;
  }
  return service;
}

using Names = std::vector<std::string>;

TEST(CppClass, IsQualifiedAndFlat) {
  EXPECT_EQ(class_of("a.b", {"Outer", "Inner"}, newest), "::a::b::Outer_Inner");
  EXPECT_EQ(class_of("", {"Message"}, newest), "::Message");
}

TEST(CppClass, EscapesKeywordsAsProtocDoes) {
  for (const ProtocRelease release : {oldest, newest}) {
    EXPECT_EQ(class_of("a", {"class"}, release), "::a::class_");
    EXPECT_EQ(class_of("a", {"class", "Inner"}, release), "::a::class__Inner");
    EXPECT_EQ(class_of("a", {"Outer", "class"}, release), "::a::Outer_class");
    EXPECT_EQ(class_of("a", {"NULL"}, release), "::a::NULL_");
    EXPECT_EQ(class_of("a", {"EOF"}, release), "::a::EOF");
  }
}

TEST(CppClass, EscapesLaterWordsFromTheReleaseThatKnowsThem) {
  EXPECT_EQ(class_of("a", {"requires"}, 21), "::a::requires");
  EXPECT_EQ(class_of("a", {"requires"}, 22), "::a::requires_");
  EXPECT_EQ(class_of("a", {"co", "await"}, 22), "::a::co_await_");
  EXPECT_EQ(class_of("a", {"assert"}, 22), "::a::assert");
  EXPECT_EQ(class_of("a", {"assert"}, 23), "::a::assert_");
  EXPECT_EQ(class_of("a", {"New"}, 29), "::a::New");
  EXPECT_EQ(class_of("a", {"New"}, 30), "::a::New_");
  EXPECT_EQ(class_of("a", {"Outer", "New"}, 30), "::a::Outer_New");
}

TEST(CppNamespaces, EscapeKeywordsFromRelease27) {
  EXPECT_EQ(cpp_namespaces_of("a.new.concept", 26), (Names{"a", "new", "concept"}));
  EXPECT_EQ(cpp_namespaces_of("a.new.concept", 27), (Names{"a", "new_", "concept_"}));
  EXPECT_EQ(cpp_namespaces_of("a.New", 30), (Names{"a", "New"}));
  EXPECT_EQ(cpp_namespaces_of("", 27), Names());
  EXPECT_EQ(class_of("a.new", {"M"}, 27), "::a::new_::M");
}

TEST(CppServiceClasses, LeaveOthersTheirNames) {
  google::protobuf::FileDescriptorProto messages;
  messages.set_package("a");
  auto& outer = *messages.add_message_type();
  outer.set_name("Outer");
  outer.add_nested_type()->set_name("Inner");
  outer.add_enum_type()->set_name("Kind");
  messages.add_enum_type()->set_name("Color");
  TypeIndex types;
  types.add(messages);

  const FileDefinition in_package{"a.proto",
                                  "a",
                                  {service_of("Outer_Inner"), service_of("Outer_Kind"), service_of("Client"),
                                   service_of("new"), service_of("std")}};
  const FileDefinition elsewhere{"b.proto", "", {service_of("Outer_Inner"), service_of("std")}};

  EXPECT_EQ(cpp_service_classes(in_package, types), (Names{"Outer_Inner_", "Outer_Kind_", "Client_", "new_", "std"}));
  EXPECT_EQ(cpp_service_classes(elsewhere, types), (Names{"Outer_Inner", "std_"}));
}

TEST(CppServiceClasses, LeaveProtocTheNamesOfItsOwnServices) {
  google::protobuf::FileDescriptorProto file;
  file.set_package("a");
  file.add_service()->set_name("S");
  TypeIndex plain;
  plain.add(file);
  file.mutable_options()->set_cc_generic_services(true);
  TypeIndex generic;
  generic.add(file);

  const FileDefinition definition{"a.proto", "a", {service_of("S"), service_of("S_Stub"), service_of("T")}};

  EXPECT_EQ(cpp_service_classes(definition, plain), (Names{"S", "S_Stub", "T"}));
  EXPECT_EQ(cpp_service_classes(definition, generic), (Names{"S_", "S_Stub_", "T"}));
}

TEST(CppMethodNames, AvoidKeywordsMacrosAndEachOther) {
  const CppMethodNames names = cpp_method_names(
      service_of("S", {"Get", "get", "Delete", "EOF", "Major", "Define", "Request", "name", "operator", "Methods"}));

  EXPECT_EQ(names.functions,
            (Names{"get", "get_", "delete_", "eof", "major_", "define_", "request", "name", "operator_", "methods"}));
  EXPECT_EQ(names.descriptions,
            (Names{"Get", "get", "Delete", "EOF_", "Major", "Define", "Request_", "name_", "operator_", "Methods_"}));
  EXPECT_EQ(names.channel, "channel");
}

TEST(CppMethodNames, ParameterShadowsNoMember) {
  EXPECT_EQ(cpp_method_names(service_of("S", {"Channel"})).channel, "channel_");
}

TEST(WithoutExtension, IsAsProtocCutsIt) {
  EXPECT_EQ(without_extension("a/b.proto"), "a/b");
  EXPECT_EQ(without_extension("a/b.protodevel"), "a/b");
  EXPECT_EQ(without_extension("a/b.txt"), "a/b.txt");
}

}  // namespace

}  // namespace trunkline::codegen
