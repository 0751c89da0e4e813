// SPDX-License-Identifier: MIT
// The program protoc-gen-trunkline: a request of protoc on standard input, the response on standard output.
#include "codegen/generator.h"

#include <exception>
#include <iostream>
#include <string_view>

namespace {

constexpr std::string_view usage =
    "protoc-gen-trunkline " TRUNKLINE_VERSION
    ", a plugin of protoc: the services of definitions in C++ and Python\n"
    "usage: protoc --cpp_out=DIR --trunkline_out=DIR FILE.proto...\n"
    "       protoc --python_out=DIR --trunkline_out=python:DIR FILE.proto...\n"
    "options, behind --trunkline_opt= and separated by commas:\n"
    "  cpp                 FILE.trunkline.h; what is generated if nothing is asked for\n"
    "  python              FILE_trunkline.py and .pyi\n"
    "  imports=absolute    Python: modules of messages are imported as protoc's own do (default)\n"
    "  imports=relative    Python: those of the same run relatively; python -m trunkline.generate makes messages do "
    "so\n";

int serve() {
  google::protobuf::compiler::CodeGeneratorRequest request;
  if (!request.ParseFromIstream(&std::cin)) {
    std::cerr << "protoc-gen-trunkline: read request: standard input holds no CodeGeneratorRequest of protoc\n";
    return 1;
  }
  const auto response = trunkline::codegen::generate(request);
  if (!response.SerializeToOstream(&std::cout) || !std::cout.flush()) {
    std::cerr << "protoc-gen-trunkline: write response: standard output takes no more\n";
    return 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view argument = count > 1 ? arguments[1] : "";
  if (argument == "--version") {
    std::cout << "protoc-gen-trunkline " TRUNKLINE_VERSION "\n";
    return 0;
  }
  if (count > 1) {
    const bool asked = argument == "--help";
    (asked ? std::cout : std::cerr) << usage;
    return asked ? 0 : 2;
  }
  try {
    return serve();
  } catch (const std::exception& error) {
    std::cerr << "protoc-gen-trunkline: " << error.what() << "\n";
    return 1;
  }
}
