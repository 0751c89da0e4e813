// SPDX-License-Identifier: MIT
// Routes of a server: how they are registered, and which one takes a request.
#include "server/route_table.h"

#include <trunkline/detail/unary_handler.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace trunkline::server {
namespace {

using testing::HasSubstr;

std::unique_ptr<MethodHandler> make_handler() {
  auto function = [](const Slice& request, ServerContext&) { return request; };
  return std::make_unique<detail::UnaryHandler<Slice, Slice, decltype(function)>>(function, false);
}

class Routes : public testing::Test {
 protected:
  void add(std::string_view verb, std::string_view path) { registry.add_route(verb, path, make_handler(), {}); }
  std::string error_of(std::string_view verb, std::string_view path) {
    try {
      add(verb, path);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing thrown";
  }
  /// The name of the route, or what is allowed in brackets.
  std::string find(std::string_view verb, std::string_view path) {
    const MethodRegistry::Snapshot snapshot = registry.snapshot();
    const RouteTable table(*snapshot);
    const session::RouteMatch match = table.find(verb, path);
    return match.allowed.empty() ? std::string(match.name) : "[" + match.allowed + "]";
  }

  MethodRegistry registry;
};

TEST_F(Routes, TakesTheExactPathBeforeMethodsAndMethodsBeforeTheLongestPrefix) {
  registry.add("Greet", make_handler(), {});
  registry.add("files/list", make_handler(), {});
  add("GET", "/");
  add("GET", "/*");
  add("POST", "/*");
  add("GET", "/files/*");
  add("GET", "/files/new");
  add("GET", "/Greet");

  EXPECT_EQ(find("GET", "/"), "GET /");
  EXPECT_EQ(find("GET", "/files/new"), "GET /files/new");
  EXPECT_EQ(find("GET", "/files/new/er"), "GET /files/*");
  EXPECT_EQ(find("GET", "/files/"), "GET /files/*");
  EXPECT_EQ(find("GET", "/files"), "GET /*");
  EXPECT_EQ(find("GET", "/files/list"), "");
  EXPECT_EQ(find("GET", "/Greet"), "GET /Greet");
  EXPECT_EQ(find("POST", "/Greet"), "");
  EXPECT_EQ(find("POST", "/files/other"), "POST /*");
}

TEST_F(Routes, ServesHeadByGetUnlessItHasARouteOfItsOwn) {
  add("GET", "/a");
  add("GET", "/b");
  add("HEAD", "/b");
  registry.add("c", make_handler(), {});
  add("GET", "/*");

  EXPECT_EQ(find("HEAD", "/a"), "GET /a");
  EXPECT_EQ(find("HEAD", "/b"), "HEAD /b");
  EXPECT_EQ(find("HEAD", "/c"), "");
  EXPECT_EQ(find("HEAD", "/d"), "GET /*");
}

TEST_F(Routes, SaysWhatAPathTakes) {
  add("GET", "/a");
  add("DELETE", "/a");
  add("PUT", "/a/*");
  registry.add("b", make_handler(), {});
  add("GET", "/b");

  EXPECT_EQ(find("POST", "/a"), "[GET, HEAD, DELETE]");
  EXPECT_EQ(find("GET", "/a/x"), "[PUT]");
  EXPECT_EQ(find("BREW", "/a"), "[GET, HEAD, DELETE]");
  EXPECT_EQ(find("PUT", "/b"), "[GET, HEAD, POST]");
  EXPECT_EQ(find("GET", "/nothing"), "");
}

TEST_F(Routes, RefusesWhatIsNoRoute) {
  add("GET", "/a");

  EXPECT_EQ(error_of("GET", "/a"), "register method GET /a: it is registered already");
  EXPECT_THAT(error_of("get", "/b"), HasSubstr("its method is not one of"));
  EXPECT_THAT(error_of("CONNECT", "/b"), HasSubstr("its method is not one of"));
  EXPECT_THAT(error_of("GET", ""), HasSubstr("does not begin with '/'"));
  EXPECT_THAT(error_of("GET", "b"), HasSubstr("does not begin with '/'"));
  EXPECT_THAT(error_of("GET", "/" + std::string(1000, 'x')), HasSubstr("more than 1000 bytes"));
  EXPECT_THAT(error_of("GET", "/b?c"), HasSubstr("'?'"));
  EXPECT_THAT(error_of("GET", "/%20"), HasSubstr("write it decoded"));
  EXPECT_THAT(error_of("GET", "/b\n"), HasSubstr("control characters"));
  EXPECT_THAT(error_of("GET", "/\xff"), HasSubstr("UTF-8"));
  for (const char* path : {"/*/b", "/b*", "/b/**"}) EXPECT_THAT(error_of("GET", path), HasSubstr("'*'")) << path;
  for (const char* path : {"/.", "/a/../b", "/.."}) EXPECT_THAT(error_of("GET", path), HasSubstr("\"..\"")) << path;
  EXPECT_EQ(error_of("GET", "/b.html"), "nothing thrown");
}

TEST_F(Routes, TakesHandlersOfBytesOnly) {
  auto function = [](const Empty&, ServerContext&) { return Slice(); };
  const auto add_other = [&] {
    registry.add_route("GET", "/a",
                       std::make_unique<detail::UnaryHandler<Empty, Slice, decltype(function)>>(function, false), {});
  };

  EXPECT_THROW(add_other(), std::invalid_argument);
  EXPECT_THROW(registry.add_route("GET", "/a", nullptr, {}), std::invalid_argument);
}

TEST_F(Routes, AreNotListedAndAreRemovedByName) {
  registry.add("Greet", make_handler(), {});
  add("GET", "/a");

  ASSERT_EQ(registry.list().size(), 1U);
  EXPECT_EQ(registry.list()[0].name, "Greet");
  EXPECT_TRUE(registry.remove("GET /a"));
  EXPECT_EQ(find("GET", "/a"), "");
}

}  // namespace
}  // namespace trunkline::server
