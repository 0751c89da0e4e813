// SPDX-License-Identifier: MIT
// Paths of methods.
#include "session/web/method_path.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::web {
namespace {

std::string method_of(std::string_view path) {
  BufferWriter room;
  return std::string(method_of_path(path, room));
}

TEST(MethodPath, OfAServiceAndMethodIsAViewOfThePath) {
  const std::string_view path = "/example.Echo/Say";
  BufferWriter room;

  const std::string_view method = method_of_path(path, room);

  EXPECT_EQ(method, "example.Echo/Say");
  EXPECT_EQ(method.data(), path.data() + 1);
}

TEST(MethodPath, MayHaveAnyNameEncoded) {
  EXPECT_EQ(method_of("/add"), "add");
  EXPECT_EQ(method_of("/example%2eEcho%2FSay"), "example.Echo/Say");
  EXPECT_EQ(method_of("/a%20b/%E2%98%ba%3F"), "a b/\xE2\x98\xBA?");
  EXPECT_EQ(method_of("//slash"), "/slash");
  EXPECT_EQ(method_of("/100%25"), "100%");
}

TEST(MethodPath, IsMalformedWithoutSlashNameOrEncoding) {
  for (const char* path :
       {"", "/", "*", "example.Echo/Say", "http://host/a", "/a?b", "/a#b", "/%", "/%4", "/%zz", "/%FF", "/\xFF"}) {
    EXPECT_EQ(method_of(path), "") << path;
  }
}

TEST(MethodPath, IsMalformedIfTheNameIsTooLong) {
  EXPECT_EQ(method_of("/" + std::string(1024, 'a')), std::string(1024, 'a'));
  EXPECT_EQ(method_of("/" + std::string(1025, 'a')), "");
  std::string encoded = "/";
  for (int i = 0; i < 1024; ++i) encoded += "%20";
  EXPECT_EQ(method_of(encoded), std::string(1024, ' '));
  EXPECT_EQ(method_of(encoded + "%20"), "");
}

std::string path_of(std::string_view method) {
  BufferWriter out;
  append_path(method, out);
  return std::string(as_text(out.bytes()));
}

TEST(MethodPath, IsWrittenWithTheNameAsItIs) {
  EXPECT_EQ(path_of("example.Echo/Say"), "/example.Echo/Say");
  EXPECT_EQ(path_of("add"), "/add");
}

TEST(MethodPath, IsEncodedWhereItMustBe) {
  EXPECT_EQ(path_of("a b/\xE2\x98\xBA?#%"), "/a%20b/%E2%98%BA%3F%23%25");
  EXPECT_EQ(path_of("\x7F\t"), "/%7F%09");
}

TEST(MethodPath, IsReadAsWritten) {
  for (int i = 1; i < 128; ++i) {
    const std::string method = "x" + std::string(1, static_cast<char>(i)) + "y";
    EXPECT_EQ(method_of(path_of(method)), method) << i;
  }
}

}  // namespace
}  // namespace trunkline::session::web
