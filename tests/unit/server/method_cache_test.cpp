// SPDX-License-Identifier: MIT
// Methods as one loop and one connection know them.
#include "server/method_cache.h"
#include "server/connection_methods.h"

#include <trunkline/detail/unary_handler.h>

#include <gtest/gtest.h>

#include <memory>

namespace trunkline::server {

namespace {

class MethodsOfALoop : public ::testing::Test {
 protected:
  void add(std::string_view name) {
    const auto echo = [](const Slice& request, ServerContext&) { return request; };
    registry_.add(name, std::make_unique<detail::UnaryHandler<Slice, Slice, decltype(echo)>>(echo, false), {});
  }
  static session::Event call_of(std::string_view name, std::uint32_t number) {
    session::Event event;
    event.method_name = name;
    event.method_number = number;
    return event;
  }

  net::Loop loop_;
  const CodecRegistry codecs_ = CodecRegistry::with_defaults();
  MethodRegistry registry_;
  LoopMetrics metrics_{loop_};
  MethodCache cache_{registry_, codecs_, metrics_};
};

TEST_F(MethodsOfALoop, AreFoundByName) {
  add("Echo");
  const MethodCache::Batch batch(cache_);

  LoopMethod* const found = cache_.find("Echo");

  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->method().name, "Echo");
  EXPECT_EQ(cache_.find("Echo"), found);
  EXPECT_EQ(cache_.find("Other"), nullptr);
}

TEST_F(MethodsOfALoop, DoNotChangeDuringABatch) {
  add("Echo");
  {
    const MethodCache::Batch outer(cache_);
    LoopMethod* const found = cache_.find("Echo");
    registry_.remove("Echo");
    add("Late");
    const MethodCache::Batch inner(cache_);
    cache_.refresh();

    EXPECT_EQ(cache_.find("Echo"), found);
    EXPECT_EQ(cache_.find("Late"), nullptr);
  }
  const MethodCache::Batch next(cache_);

  EXPECT_EQ(cache_.find("Echo"), nullptr);
  EXPECT_NE(cache_.find("Late"), nullptr);
}

TEST_F(MethodsOfALoop, AreLookedUpAgainWhenTheClientGivesTheirNumberToAnother) {
  add("Echo");
  add("Other");
  const MethodCache::Batch batch(cache_);
  ConnectionMethods methods(cache_);
  methods.refresh();
  session::Event second = call_of("Other", 1);
  second.method_epoch = 1;
  session::Event third = call_of("None", 1);
  third.method_epoch = 2;

  EXPECT_EQ(methods.find(call_of("Echo", 1)), cache_.find("Echo"));
  EXPECT_EQ(methods.find(second), cache_.find("Other"));
  EXPECT_EQ(methods.find(third), nullptr);
}

TEST_F(MethodsOfALoop, AreReleasedWhenTheyAreRemoved) {
  add("Echo");
  std::weak_ptr<LoopMethod> known;
  {
    const MethodCache::Batch batch(cache_);
    known = cache_.find("Echo")->weak_from_this();
  }

  registry_.remove("Echo");
  cache_.refresh();

  EXPECT_TRUE(known.expired());
}

TEST_F(MethodsOfALoop, AreKnownToAConnectionByNumber) {
  add("Echo");
  ConnectionMethods methods(cache_);
  const MethodCache::Batch batch(cache_);
  methods.refresh();

  LoopMethod* const named = methods.find(call_of("Echo", 7));

  ASSERT_NE(named, nullptr);
  EXPECT_EQ(methods.find(call_of("the name is not looked at", 7)), named);
  EXPECT_EQ(methods.find(call_of("Echo", 0)), named);
  EXPECT_EQ(methods.find(call_of("Unknown", 3)), nullptr);
  EXPECT_EQ(methods.find(call_of("Unknown", 100)), nullptr);
}

TEST_F(MethodsOfALoop, AreLookedUpAgainByAConnectionWhenTheyHaveChanged) {
  add("Echo");
  ConnectionMethods methods(cache_);
  {
    const MethodCache::Batch batch(cache_);
    methods.refresh();
    EXPECT_NE(methods.find(call_of("Echo", 1)), nullptr);
  }

  registry_.remove("Echo");
  const MethodCache::Batch batch(cache_);
  methods.refresh();

  EXPECT_EQ(methods.find(call_of("Echo", 1)), nullptr);
}

}  // namespace

}  // namespace trunkline::server
