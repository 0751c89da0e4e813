// SPDX-License-Identifier: MIT
// What a schema takes from a source that always has one more file.
#include "cli/schema/bounded_source.h"

#include "cli/process/failure.h"
#include "fake_source.h"

#include <gtest/gtest.h>

#include <memory>

namespace trunkline::cli::schema {
namespace {

using google::protobuf::FileDescriptorProto;

/// Far more than the stack of a process has room for.
constexpr std::size_t endless = 100'000;

/// Each file imports the next one, up to f<last>.proto.
std::unique_ptr<SchemaSource> chain_of_imports(std::size_t last) {
  const auto find = [last](const std::string& name, FileDescriptorProto& file) {
    const std::size_t number = number_of(name);
    if (number > last) return false;
    file = numbered_file(number);
    if (number < last) file.add_dependency("f" + std::to_string(number + 1) + ".proto");
    return true;
  };
  return std::make_unique<FakeSource>(std::vector<std::string>{"p0.S"}, find, find);
}

/// Why a lookup fails; empty if it does not.
std::string failure_of(Schema& schema, const std::string& service) {
  try {
    static_cast<void>(schema.find_service(service));
    return {};
  } catch (const process::Failure& failure) {
    EXPECT_EQ(failure.exit_status(), process::exit_status::failed);
    return failure.what();
  }
}

TEST(BoundedSource, ImportsMayBeAsDeepAsTheLimit) {
  Schema schema(chain_of_imports(BoundedSource::max_nesting - 1));

  EXPECT_NE(schema.find_service("p0.S"), nullptr);
}

TEST(BoundedSource, EndlessImportsAreRefused) {
  Schema schema(chain_of_imports(endless));

  EXPECT_EQ(failure_of(schema, "p0.S"),
            "definitions of fake: files that need each other are more than 250 deep, which is the limit");
}

TEST(BoundedSource, EndlessUndefinedNamesAreRefused) {
  const auto by_symbol = [](const std::string& name, FileDescriptorProto& file) {
    const std::size_t number = number_of(name);
    file = numbered_file(number);
    auto& field = *file.mutable_message_type(0)->add_field();
    field.set_name("next");
    field.set_number(1);
    field.set_type_name(".p" + std::to_string(number + 1) + ".M");
    return number < endless;
  };
  const auto by_name = [](const std::string&, FileDescriptorProto&) { return false; };
  Schema schema(std::make_unique<FakeSource>(std::vector<std::string>{"p0.S"}, by_name, by_symbol));

  EXPECT_EQ(failure_of(schema, "p0.S"),
            "definitions of fake: files that need each other are more than 250 deep, which is the limit");
}

TEST(BoundedSource, AFailureOfTheSourceLeavesThePoolWhole) {
  const auto by_symbol = [](const std::string& name, FileDescriptorProto& file) {
    if (name != "p0.S") throw process::Failure(process::exit_status::failed, "the server is gone");
    file = numbered_file(0);
    auto& field = *file.mutable_message_type(0)->add_field();
    field.set_name("next");
    field.set_number(1);
    field.set_type_name(".p1.M");
    return true;
  };
  const auto by_name = [](const std::string&, FileDescriptorProto&) { return false; };
  Schema schema(std::make_unique<FakeSource>(std::vector<std::string>{"p0.S"}, by_name, by_symbol));

  EXPECT_EQ(failure_of(schema, "p0.S"), "the server is gone");
}

TEST(BoundedSource, FilesSideBySideAreNotNested) {
  const auto find = [](const std::string& name, FileDescriptorProto& file) {
    file = numbered_file(number_of(name));
    for (std::size_t i = 1; name == "f0.proto" || name == "p0.S" ? i < 4 * BoundedSource::max_nesting : false; ++i)
      file.add_dependency("f" + std::to_string(i) + ".proto");
    return true;
  };
  Schema schema(std::make_unique<FakeSource>(std::vector<std::string>{}, find, find));

  EXPECT_NE(schema.find_service("p0.S"), nullptr);
  for (std::size_t i = 0; i < 2 * BoundedSource::max_nesting; ++i)
    EXPECT_NE(schema.find_service("p" + std::to_string(5000 + i) + ".S"), nullptr);
}

TEST(BoundedSource, MoreFilesThanTheLimitAreRefused) {
  const auto find = [](const std::string& name, FileDescriptorProto& file) {
    file = numbered_file(number_of(name));
    return true;
  };
  Schema schema(std::make_unique<FakeSource>(std::vector<std::string>{}, find, find));
  std::string failure;

  std::size_t found = 0;
  while (failure.empty()) {
    failure = failure_of(schema, "p" + std::to_string(found) + ".S");
    if (failure.empty()) ++found;
  }

  EXPECT_EQ(found, BoundedSource::max_files);
  EXPECT_EQ(failure, "definitions of fake: more than 10000 files, which is the limit");
}

TEST(Schema, AServiceThatIsListedAndNotDefinedIsNotSuggested) {
  const auto find = [](const std::string&, FileDescriptorProto&) { return false; };
  Schema schema(std::make_unique<FakeSource>(std::vector<std::string>{"x.S"}, find, find));

  for (const char* const name : {"x.S", "x.S/Go"}) {
    try {
      schema.refuse("name", name);
    } catch (const process::Failure& failure) {
      EXPECT_STREQ(failure.what(), "fake lists the service 'x.S', but does not define it");
    }
  }
}

TEST(Schema, NamesOfTheSourceCannotForgeLines) {
  const auto find = [](const std::string&, FileDescriptorProto&) { return false; };
  Schema schema(std::make_unique<FakeSource>(std::vector<std::string>{"x.Se\nfake: line"}, find, find));

  for (const char* const name : {"x.Se_fake: line", "unlike"}) {
    try {
      schema.refuse("name", name);
    } catch (const process::Failure& failure) {
      const std::string text = failure.what();
      EXPECT_EQ(text.find('\n'), text.npos) << text;
      EXPECT_NE(text.find("x.Se\\x0afake: line"), text.npos) << text;
    }
  }
}

}  // namespace
}  // namespace trunkline::cli::schema
