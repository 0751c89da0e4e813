// SPDX-License-Identifier: MIT
// Assignment of outbound method ids and definition of inbound ones.
#include "session/native/inbound_method_ids.h"
#include "session/native/outbound_method_ids.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(OutboundMethodIds, AreNumberedInTheOrderOfUse) {
  OutboundMethodIds methods;

  EXPECT_EQ(methods.find(7), 0u);
  EXPECT_EQ(methods.assign(7, 10), 1u);
  EXPECT_EQ(methods.assign(2, 10), 2u);
  EXPECT_EQ(methods.find(7), 1u);
  EXPECT_EQ(methods.find(2), 2u);
  EXPECT_EQ(methods.find(3), 0u);
}

TEST(OutboundMethodIds, StopAtThePeersLimit) {
  OutboundMethodIds methods;

  EXPECT_EQ(methods.assign(1, 1), 1u);
  EXPECT_EQ(methods.assign(2, 1), 0u);
  EXPECT_EQ(methods.find(2), 0u);
}

TEST(OutboundMethodIds, AreNotAssignedWithoutAKey) {
  OutboundMethodIds methods;

  EXPECT_EQ(methods.assign(0, 10), 0u);
  EXPECT_EQ(methods.assign(1, 10), 1u);
  EXPECT_EQ(methods.find(0), 0u);
}

TEST(InboundMethodIds, KeepTheirNamesInPlace) {
  InboundMethodIds methods;
  ASSERT_TRUE(methods.define(1, "a/b").is_ok());
  const std::string_view first = methods.find(1);

  for (std::uint32_t i = 2; i < 500; ++i) ASSERT_TRUE(methods.define(i, "x").is_ok());

  EXPECT_EQ(methods.find(1).data(), first.data());
  EXPECT_EQ(methods.find(0), "");
  EXPECT_EQ(methods.find(500), "");
}

TEST(InboundMethodIds, AreDefinedInOrder) {
  InboundMethodIds methods;

  EXPECT_EQ(methods.define(2, "a/b").code(), StatusCode::internal);
  EXPECT_EQ(methods.find(2), "");
}

TEST(InboundMethodIds, MayBeGivenToAnotherName) {
  InboundMethodIds methods;
  ASSERT_TRUE(methods.define(1, "a/b").is_ok());
  const std::shared_ptr<const std::string> before = methods.share(1);
  const std::uint32_t epoch = methods.epoch();

  ASSERT_TRUE(methods.define(1, "a/c").is_ok());

  EXPECT_EQ(methods.find(1), "a/c");
  EXPECT_EQ(*before, "a/b");
  EXPECT_NE(methods.epoch(), epoch);
}

}  // namespace
}  // namespace trunkline::session::native
