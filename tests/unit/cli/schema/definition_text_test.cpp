// SPDX-License-Identifier: MIT
// Texts of definitions: which types they contain, and that their number does not matter.
#include "cli/schema/definition_text.h"

#include "fake_source.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

namespace trunkline::cli::schema {
namespace {

using google::protobuf::FieldDescriptorProto;

void add_field(google::protobuf::DescriptorProto& message, const std::string& name, const std::string& type) {
  FieldDescriptorProto& field = *message.add_field();
  field.set_name(name);
  field.set_number(message.field_size());
  field.set_label(FieldDescriptorProto::LABEL_OPTIONAL);
  field.set_type_name(type);
}

TEST(DefinitionText, TypesFollowTheOneThatContainsThem) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("a.proto");
  file.set_syntax("proto3");
  for (const char* const name : {"A", "B", "C", "D"}) file.add_message_type()->set_name(name);
  add_field(*file.mutable_message_type(0), "b", ".B");
  add_field(*file.mutable_message_type(0), "d", ".D");
  add_field(*file.mutable_message_type(1), "c", ".C");
  add_field(*file.mutable_message_type(2), "a", ".A");
  google::protobuf::DescriptorPool pool;
  ASSERT_NE(pool.BuildFile(file), nullptr);

  EXPECT_EQ(describe_type(pool, "A"),
            "message A {\n  .B b = 1;\n  .D d = 2;\n}\n\nmessage B {\n  .C c = 1;\n}\n\n"
            "message C {\n  .A a = 1;\n}\n\nmessage D {\n}\n");
}

TEST(DefinitionText, AnyNumberOfTypesMayContainEachOther) {
  constexpr int count = 50'000;
  google::protobuf::FileDescriptorProto file;
  file.set_name("a.proto");
  file.set_syntax("proto3");
  for (int i = 0; i < count; ++i) {
    auto& message = *file.add_message_type();
    message.set_name("M" + std::to_string(i));
    if (i + 1 < count) add_field(message, "next", ".M" + std::to_string(i + 1));
  }
  google::protobuf::DescriptorPool pool;
  ASSERT_NE(pool.BuildFile(file), nullptr);

  const std::string text = describe_type(pool, "M0");

  EXPECT_NE(text.find("message M49999 {"), text.npos);
}

}  // namespace
}  // namespace trunkline::cli::schema
