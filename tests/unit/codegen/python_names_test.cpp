// SPDX-License-Identifier: MIT
// Python names of modules, classes, functions, and how messages are imported.
#include "codegen/python_names.h"

#include "codegen/python_imports.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::codegen {

namespace {

using Names = std::vector<std::string>;

MessageLocation type_of(const std::string& file, std::vector<std::string> path = {"M"}) {
  return {file, "a", std::move(path)};
}

// A file with one method, whose request and response have these types.
FileDefinition file_of(const std::string& name, const MessageLocation& request, const MessageLocation& response) {
  FileDefinition file{name, "a", {ServiceDefinition()}};
  file.services[0].methods.emplace_back();
  file.services[0].methods[0].request = &request;
  file.services[0].methods[0].response = &response;
  return file;
}

std::string statements(const PythonImports& imports) {
  TextWriter out(4);
  imports.write(out);
  return std::move(out).take();
}

TEST(PythonModule, IsCalledAsProtocCallsIt) {
  EXPECT_EQ(python_module_of("a/b-c/hello-world.proto", "_pb2"), "a.b_c.hello_world_pb2");
  EXPECT_EQ(python_module_of("hello.proto", "_trunkline"), "hello_trunkline");
  EXPECT_EQ(python_file_of("a.b.hello_trunkline", ".pyi"), "a/b/hello_trunkline.pyi");
}

TEST(PythonAttribute, IsPlainIfGrammarAndClassesLeaveIt) {
  EXPECT_TRUE(is_plain_attribute("Outer"));
  EXPECT_TRUE(is_plain_attribute("_x1"));
  EXPECT_FALSE(is_plain_attribute("None"));
  EXPECT_FALSE(is_plain_attribute("__Private"));
  EXPECT_FALSE(is_plain_attribute("3d"));
  EXPECT_FALSE(is_plain_attribute("a b"));
}

TEST(PythonClassNames, OfPlainServicesComeFirst) {
  FileDefinition file;
  file.services.resize(3);
  file.services[0].name = "Hello";
  file.services[1].name = "AsyncHello";
  file.services[2].name = "__Hidden";

  const std::vector<PythonClasses> classes = python_classes(file);

  EXPECT_EQ(classes[0].service, "HelloService");
  EXPECT_EQ(classes[0].async_service, "AsyncHelloService_");
  EXPECT_EQ(classes[0].client, "HelloClient");
  EXPECT_EQ(classes[0].async_client, "AsyncHelloClient_");
  EXPECT_EQ(classes[1].service, "AsyncHelloService");
  EXPECT_EQ(classes[1].async_client, "AsyncAsyncHelloClient");
  EXPECT_EQ(classes[2].service, "_HiddenService");
}

TEST(PythonClassNames, SayServiceOnce) {
  FileDefinition file;
  file.services.resize(3);
  file.services[0].name = "TraceService";
  file.services[1].name = "LogService";
  file.services[2].name = "Log";

  const std::vector<PythonClasses> classes = python_classes(file);

  EXPECT_EQ(classes[0].service, "TraceService");
  EXPECT_EQ(classes[0].async_service, "AsyncTraceService");
  EXPECT_EQ(classes[0].client, "TraceServiceClient");
  EXPECT_EQ(classes[0].async_client, "AsyncTraceServiceClient");
  EXPECT_EQ(classes[1].service, "LogServiceService");
  EXPECT_EQ(classes[2].service, "LogService");
}

TEST(PythonFunctions, LeaveImportsTheirNames) {
  ServiceDefinition service;
  for (const char* name : {"_Trunkline", "_builtins", "_aio", "_Deprecated", "_hello_pb2", "hello_pb2", "_other"}) {
    service.methods.emplace_back();
    service.methods.back().name = name;
  }

  EXPECT_EQ(python_functions(service),
            (Names{"_trunkline_", "_builtins_", "_aio_", "_deprecated_", "_hello_pb2_", "hello_pb2", "_other"}));
}

TEST(PythonFunctions, AvoidKeywordsAndEachOther) {
  ServiceDefinition service;
  for (const char* name : {"Lambda", "GetIt", "get_it", "Print", "__init__", "Async"}) {
    service.methods.emplace_back();
    service.methods.back().name = name;
  }

  EXPECT_EQ(python_functions(service), (Names{"lambda_", "get_it", "get_it_", "print", "_init_", "async_"}));
}

TEST(PythonImports, OfTheSameRunAreRelative) {
  const MessageLocation near = type_of("a/b/near.proto", {"Outer", "Inner"});
  const MessageLocation far = type_of("a/c/far.proto");
  const FileDefinition file = file_of("a/b/own.proto", near, far);

  const PythonImports imports(file, {"a/b/own.proto", "a/b/near.proto", "a/c/far.proto"});

  EXPECT_EQ(statements(imports),
            "from . import near_pb2 as _near_pb2\n"
            "from . import own_pb2 as _own_pb2\n"
            "from ..c import far_pb2 as _far_pb2\n");
  EXPECT_EQ(imports.expression_of(near), "_near_pb2.Outer.Inner");
  EXPECT_EQ(imports.own_module(), "_own_pb2");
}

TEST(PythonImports, OfOtherRunsAndOfProtobufAreAbsolute) {
  const MessageLocation other = type_of("a/other.proto");
  const MessageLocation empty = type_of("google/protobuf/empty.proto", {"Empty"});
  const FileDefinition file = file_of("own.proto", other, empty);

  const PythonImports imports(file, {"google/protobuf/empty.proto"});

  EXPECT_EQ(statements(imports),
            "from a import other_pb2 as _other_pb2\n"
            "from google.protobuf import empty_pb2 as _empty_pb2\n"
            "import own_pb2 as _own_pb2\n");
}

TEST(PythonImports, OfOneNameAreToldApart) {
  const MessageLocation first = type_of("b/own.proto");
  const MessageLocation second = type_of("c/_own.proto");

  const PythonImports imports(file_of("own.proto", first, second), {});

  EXPECT_EQ(imports.expression_of(first), "_b_own_pb2.M");
  EXPECT_EQ(imports.expression_of(second), "_c__own_pb2.M");
}

TEST(PythonImports, OfFilesThatAreNoIdentifiersHaveAliasesThatAre) {
  const MessageLocation plus = type_of("a/foo+bar.proto");
  const MessageLocation other = type_of("b c/foo bar.proto");

  const PythonImports imports(file_of("own.proto", plus, other), {});

  EXPECT_EQ(statements(imports),
            "_foo_bar_pb2 = importlib.import_module(\"a.foo+bar_pb2\")\n"
            "_b_c_foo_bar_pb2 = importlib.import_module(\"b c.foo bar_pb2\")\n"
            "import own_pb2 as _own_pb2\n");
  EXPECT_EQ(imports.expression_of(other), "_b_c_foo_bar_pb2.M");
}

TEST(PythonImports, BeyondTheStatementAreLeftToImportlib) {
  const MessageLocation keyword = type_of("import/x.proto", {"None", "M"});
  const MessageLocation digit = type_of("a/3d.proto");

  const PythonImports relative(file_of("a/own.proto", keyword, digit), {"import/x.proto", "a/3d.proto", "a/own.proto"});
  const PythonImports absolute(file_of("a/own.proto", keyword, digit), {});

  EXPECT_TRUE(relative.needs_importlib());
  EXPECT_EQ(statements(relative),
            "_3d_pb2 = importlib.import_module(\".3d_pb2\", __package__)\n"
            "from . import own_pb2 as _own_pb2\n"
            "_x_pb2 = importlib.import_module(\"..import.x_pb2\", __package__)\n");
  EXPECT_EQ(statements(absolute),
            "_3d_pb2 = importlib.import_module(\"a.3d_pb2\")\n"
            "from a import own_pb2 as _own_pb2\n"
            "_x_pb2 = importlib.import_module(\"import.x_pb2\")\n");
  EXPECT_EQ(relative.expression_of(keyword), "getattr(_x_pb2, \"None\").M");
  EXPECT_EQ(relative.annotation_of(keyword), "_Any");
  EXPECT_EQ(relative.annotation_of(digit), "_Any");
}

}  // namespace

}  // namespace trunkline::codegen
