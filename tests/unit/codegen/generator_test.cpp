// SPDX-License-Identifier: MIT
// The plugin as a function: which files it answers with, and what it says to requests that are wrong.
#include "codegen/generator.h"

#include <google/protobuf/unknown_field_set.h>

#include <gtest/gtest.h>

#include <string>

namespace trunkline::codegen {

namespace {

using google::protobuf::FileDescriptorProto;
using google::protobuf::compiler::CodeGeneratorRequest;
using google::protobuf::compiler::CodeGeneratorResponse;

// A file with a message M and a service S, whose method Get takes and answers it.
FileDescriptorProto& add_file(CodeGeneratorRequest& request) {
  FileDescriptorProto& file = *request.add_proto_file();
  file.set_name("a/b.proto");
  file.set_package("a");
  file.add_message_type()->set_name("M");
  auto& service = *file.add_service();
  service.set_name("S");
  auto& method = *service.add_method();
  method.set_name("Get");
  method.set_input_type(".a.M");
  method.set_output_type(".a.M");
  request.add_file_to_generate(file.name());
  return file;
}

std::string error_of(const CodeGeneratorRequest& request) {
  const CodeGeneratorResponse response = generate(request);
  EXPECT_EQ(response.file_size(), 0);
  return response.error();
}

TEST(Generator, MakesAHeaderIfNothingElseIsAskedFor) {
  CodeGeneratorRequest request;
  add_file(request);

  const CodeGeneratorResponse response = generate(request);

  EXPECT_FALSE(response.has_error());
  ASSERT_EQ(response.file_size(), 1);
  EXPECT_EQ(response.file(0).name(), "a/b.trunkline.h");
  EXPECT_NE(response.file(0).content().find("static constexpr ::std::string_view name = \"a.S/Get\";"),
            std::string::npos);
}

TEST(Generator, MakesModuleAndStubForPython) {
  CodeGeneratorRequest request;
  add_file(request);
  request.set_parameter("python");

  const CodeGeneratorResponse response = generate(request);

  ASSERT_EQ(response.file_size(), 2);
  EXPECT_EQ(response.file(0).name(), "a/b_trunkline.py");
  EXPECT_EQ(response.file(1).name(), "a/b_trunkline.pyi");
}

TEST(Generator, AnswersForTheFilesAskedForThatHaveServices) {
  CodeGeneratorRequest request;
  add_file(request);
  FileDescriptorProto& other = add_file(request);
  other.set_name("other.proto");
  other.set_package("other");
  request.set_file_to_generate(1, "messages.proto");
  request.add_proto_file()->set_name("messages.proto");

  const CodeGeneratorResponse response = generate(request);

  ASSERT_EQ(response.file_size(), 1);
  EXPECT_EQ(response.file(0).name(), "a/b.trunkline.h");
}

TEST(Generator, AnnouncesOptionalFieldsAndEditions) {
  const CodeGeneratorResponse response = generate(CodeGeneratorRequest());

  EXPECT_EQ(response.supported_features(), 3u);
  // By their numbers 3 and 4, whether this protobuf has names for them or not.
  google::protobuf::UnknownFieldSet fields;
  ASSERT_TRUE(fields.ParseFromString(response.SerializeAsString()));
  std::string ranges;
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() > 2) ranges += std::to_string(field.number()) + ":" + std::to_string(field.varint()) + " ";
  }
  EXPECT_EQ(ranges, "3:998 4:2147483647 ");
}

TEST(Generator, TakesEditionsAndFieldsItDoesNotKnow) {
  CodeGeneratorRequest request;
  FileDescriptorProto& file = add_file(request);
  file.set_syntax("editions");
  constexpr int field_of_the_future = 4000;
  file.GetReflection()->MutableUnknownFields(&file)->AddVarint(field_of_the_future, 1);
  request.GetReflection()->MutableUnknownFields(&request)->AddLengthDelimited(field_of_the_future, "new");

  const CodeGeneratorResponse response = generate(request);

  EXPECT_EQ(response.error(), "");
  EXPECT_EQ(response.file_size(), 1);
}

TEST(Generator, EscapesAsTheProtocThatAsks) {
  CodeGeneratorRequest request;
  FileDescriptorProto& file = add_file(request);
  file.mutable_message_type(0)->set_name("requires");
  file.mutable_service(0)->mutable_method(0)->set_input_type(".a.requires");
  file.mutable_service(0)->mutable_method(0)->set_output_type(".a.requires");

  for (const auto& [minor, name] : {std::pair(21, "::a::requires;"), std::pair(25, "::a::requires_;")}) {
    request.mutable_compiler_version()->set_minor(minor);
    EXPECT_NE(generate(request).file(0).content().find(name), std::string::npos) << minor;
  }
}

TEST(Generator, NamesTheMethodOfATypeThatIsNowhere) {
  CodeGeneratorRequest request;
  add_file(request).mutable_service(0)->mutable_method(0)->set_input_type(".a.Missing");

  EXPECT_EQ(error_of(request), "a/b.proto: method a.S/Get: no file of the request defines its message '.a.Missing'");
}

TEST(Generator, RefusesTheNamespacesThatItsHeadersNeed) {
  for (const std::string package : {"asio", "google", "std", "trunkline"}) {
    CodeGeneratorRequest request;
    FileDescriptorProto& file = add_file(request);
    file.set_package(package);
    file.mutable_service(0)->mutable_method(0)->set_input_type("." + package + ".M");
    file.mutable_service(0)->mutable_method(0)->set_output_type("." + package + ".M");

    EXPECT_EQ(error_of(request), "a/b.proto: package " + package +
                                     " is the namespace of a library that its C++ code needs; put the services into "
                                     "another package, or into one below it");
    request.set_parameter("python");
    EXPECT_EQ(generate(request).error(), "");
  }
}

TEST(Generator, RefusesWhatIsDefinedTwice) {
  CodeGeneratorRequest methods;
  FileDescriptorProto& file = add_file(methods);
  *file.mutable_service(0)->add_method() = file.service(0).method(0);
  CodeGeneratorRequest services;
  FileDescriptorProto& other = add_file(services);
  *other.add_service() = other.service(0);

  EXPECT_EQ(error_of(methods), "a/b.proto: method a.S/Get: it is defined twice");
  EXPECT_EQ(error_of(services), "a/b.proto: service S is defined twice");
}

TEST(Generator, RefusesAFileThatIsNotThere) {
  CodeGeneratorRequest request;
  add_file(request);
  request.add_file_to_generate("c.proto");

  EXPECT_EQ(error_of(request), "c.proto: the request does not hold this file");
}

}  // namespace

}  // namespace trunkline::codegen
