// SPDX-License-Identifier: MIT
// The words of --trunkline_opt.
#include "codegen/plugin_options.h"

#include "codegen/generation_error.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::codegen {

namespace {

std::string error_of(std::string_view parameter) {
  try {
    parse_options(parameter);
  } catch (const GenerationError& error) {
    return error.what();
  }
  return "";
}

TEST(PluginOptions, AreCppIfNothingIsAskedFor) {
  for (const char* parameter : {"", ",", "imports=absolute", "cpp"}) {
    const PluginOptions options = parse_options(parameter);

    EXPECT_TRUE(options.cpp) << parameter;
    EXPECT_FALSE(options.python) << parameter;
  }
}

TEST(PluginOptions, ArePythonAlone) {
  const PluginOptions options = parse_options("python");

  EXPECT_TRUE(options.python);
  EXPECT_FALSE(options.cpp);
  EXPECT_FALSE(options.relative_imports);
  EXPECT_TRUE(parse_options("python,imports=relative").relative_imports);
}

TEST(PluginOptions, AreSeparatedByCommas) {
  const PluginOptions options = parse_options("python, cpp,,imports=relative,imports=absolute");

  EXPECT_TRUE(options.python);
  EXPECT_TRUE(options.cpp);
  EXPECT_FALSE(options.relative_imports);
}

TEST(PluginOptions, UnknownOneIsNamedBesideTheKnown) {
  const std::string known = "': unknown option; the options are cpp, python, imports=relative, imports=absolute";

  EXPECT_EQ(error_of("python,java"), "parse option 'java" + known);
  EXPECT_EQ(error_of("imports=no"), "parse option 'imports=no" + known);
  EXPECT_EQ(error_of("Cpp"), "parse option 'Cpp" + known);
}

}  // namespace

}  // namespace trunkline::codegen
