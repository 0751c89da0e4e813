// SPDX-License-Identifier: MIT
// Registration of methods.
#include "server/method_registry.h"

#include <trunkline/detail/unary_handler.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::server {

namespace {

std::unique_ptr<MethodHandler> make_handler() {
  auto function = [](const Slice& request, ServerContext&) { return request; };
  return std::make_unique<detail::UnaryHandler<Slice, Slice, decltype(function)>>(function, false);
}

std::string error_of(MethodRegistry& registry, std::string_view name, std::unique_ptr<MethodHandler> handler,
                     const MethodOptions& options = {}) {
  try {
    registry.add(name, std::move(handler), options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(MethodRegistry, RefusesNameThatIsTaken) {
  MethodRegistry registry;
  registry.add("a", make_handler(), {});

  EXPECT_EQ(error_of(registry, "a", make_handler()), "register method a: it is registered already");
}

TEST(MethodRegistry, RefusesBadNamesAndNull) {
  MethodRegistry registry;

  EXPECT_EQ(error_of(registry, "", make_handler()), "register method: name of 0 bytes is not 1 to 1024 bytes of UTF-8");
  EXPECT_EQ(error_of(registry, std::string(1025, 'x'), make_handler()),
            "register method: name of 1025 bytes is not 1 to 1024 bytes of UTF-8");
  EXPECT_EQ(error_of(registry, "a", nullptr), "register method a: handler is null");
  EXPECT_EQ(error_of(registry, std::string(1024, 'x'), make_handler()), "nothing thrown");
}

TEST(MethodRegistry, RefusesNamesNoClientMaySend) {
  MethodRegistry registry;

  EXPECT_EQ(error_of(registry, "caf\xe9", make_handler()),
            "register method: name of 4 bytes is not 1 to 1024 bytes of UTF-8");
  EXPECT_EQ(error_of(registry, "caf\xc3\xa9", make_handler()), "nothing thrown");
}

TEST(MethodRegistry, ListsDescriptions) {
  MethodRegistry registry;
  ServiceDefinition service;
  service.add("a", make_handler(), {.description = "Does a."}).describe("The letters.");
  registry.add(std::move(service));
  registry.add("b", make_handler(), {});

  const std::vector<MethodInfo> all = registry.list();

  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].description, "Does a.");
  EXPECT_EQ(all[0].service_description, "The letters.");
  EXPECT_EQ(all[1].description + all[1].service_description, "");
}

TEST(MethodRegistry, RefusesDescriptionsThatAreNotText) {
  MethodRegistry registry;
  const auto add_described = [&] {
    ServiceDefinition service;
    service.add("b", make_handler()).describe("\xff");
    registry.add(std::move(service));
  };

  EXPECT_EQ(error_of(registry, "a", make_handler(), {.description = "caf\xe9"}),
            "register method a: its description is not UTF-8");
  EXPECT_EQ(error_of(registry, "a", make_handler(), {.description = "one\r\ntwo"}),
            "register method a: its description holds a control character");
  EXPECT_THAT(add_described,
              ::testing::ThrowsMessage<std::invalid_argument>("register service: its description is not UTF-8"));
  EXPECT_TRUE(registry.list().empty());
  EXPECT_EQ(error_of(registry, "a", make_handler(), {.description = "one\n\ttwo"}), "nothing thrown");
}

TEST(MethodRegistry, RefusesBlockingForHandlersOfTheLoop) {
  MethodRegistry registry;
  auto coroutine = [](const Slice& request, ServerContext&) -> asio::awaitable<Slice> { co_return request; };
  using Coroutine = detail::UnaryHandler<Slice, Slice, decltype(coroutine)>;
  auto plain = [](const Slice& request, ServerContext&) { return request; };
  using Plain = detail::UnaryHandler<Slice, Slice, decltype(plain)>;

  EXPECT_EQ(error_of(registry, "a", std::make_unique<Coroutine>(coroutine, true), {.blocking = true}),
            "register method a: MethodOptions::blocking is set, but a coroutine does not block");
  EXPECT_EQ(error_of(registry, "a", std::make_unique<Plain>(plain, false), {.blocking = true}),
            "register method a: MethodOptions::blocking is set, but its handler is made to run on the loop");
  EXPECT_EQ(error_of(registry, "a", std::make_unique<Plain>(plain, true), {.blocking = true}), "nothing thrown");
}

TEST(MethodRegistry, TakesNameAgainAfterRemoval) {
  MethodRegistry registry;
  registry.add("a", make_handler(), {});

  EXPECT_TRUE(registry.remove("a"));
  EXPECT_FALSE(registry.remove("a"));
  EXPECT_FALSE(registry.has("a"));
  EXPECT_EQ(error_of(registry, "a", make_handler()), "nothing thrown");
  EXPECT_TRUE(registry.has("a"));
}

TEST(MethodRegistry, KeepsSnapshotsAsTheyWere) {
  MethodRegistry registry;
  registry.add("a", make_handler(), {});
  const std::uint64_t version = registry.version();
  const MethodRegistry::Snapshot before = registry.snapshot();

  registry.remove("a");
  registry.add("b", make_handler(), {});
  const MethodRegistry::Snapshot after = registry.snapshot();

  EXPECT_NE(registry.version(), version);
  EXPECT_EQ(before->count("a"), 1u);
  EXPECT_EQ(after->count("a"), 0u);
  EXPECT_EQ(after->count("b"), 1u);
  EXPECT_EQ(registry.snapshot(), after) << "an unchanged registry copies nothing";
}

TEST(MethodRegistry, ListsByName) {
  MethodRegistry registry;
  registry.add("b", make_handler(), {.idempotent = true});
  registry.add("a", make_handler(), {});

  const std::vector<MethodInfo> list = registry.list();

  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "a");
  EXPECT_EQ(list[1].name, "b");
  EXPECT_EQ(list[1].kind, MethodKind::unary);
  EXPECT_EQ(list[1].request_type, "bytes");
  EXPECT_TRUE(list[1].idempotent);
}

TEST(MethodRegistry, MayBeChangedByManyThreads) {
  MethodRegistry registry;
  std::vector<std::thread> threads;

  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&registry, t] {
      for (int i = 0; i < 200; ++i) {
        const std::string name = std::to_string(t) + "/" + std::to_string(i);
        registry.add(name, make_handler(), {});
        EXPECT_EQ(registry.snapshot()->count(name), 1u);
        if (i % 2 == 0) registry.remove(name);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(registry.list().size(), 400u);
}

}  // namespace

}  // namespace trunkline::server
