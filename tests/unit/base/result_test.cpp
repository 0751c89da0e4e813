// SPDX-License-Identifier: MIT
// Result: either a value or a status.
#include <trunkline/result.h>

#include <memory>
#include <string>

namespace trunkline {
namespace {

Status not_found() { return Status(StatusCode::not_found, "find it: not there"); }

TEST(Result, HoldsAValue) {
  const Result<std::string> result = std::string("text");

  EXPECT_TRUE(result.is_ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.value(), "text");
  EXPECT_EQ(*result, "text");
  EXPECT_EQ(result->size(), 4u);
  EXPECT_TRUE(result.status().is_ok());
  EXPECT_EQ(result.value_or("other"), "text");
}

TEST(Result, HoldsAStatus) {
  const Result<std::string> result = not_found();

  EXPECT_FALSE(result.is_ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.status(), not_found());
  EXPECT_EQ(result.value_or("other"), "other");
}

TEST(Result, ValueWithoutAValueThrowsTheStatus) {
  Result<int> result = not_found();

  try {
    result.value() = 1;
    FAIL() << "value() returned";
  } catch (const StatusError& error) {
    EXPECT_EQ(error.status(), not_found());
    EXPECT_STREQ(error.what(), "not_found: find it: not there");
  }
  EXPECT_THROW(static_cast<void>(std::as_const(result).value()), StatusError);
  EXPECT_THROW(static_cast<void>(std::move(result).value()), StatusError);
}

TEST(Result, OfAnOkStatusIsAnInternalError) {
  const Result<int> result = Status::ok();

  EXPECT_EQ(result.status().code(), StatusCode::internal);
}

TEST(Result, IsAnErrorByDefault) {
  const Result<int> result;

  EXPECT_EQ(result.status().code(), StatusCode::unknown);
}

TEST(Result, HoldsAMoveOnlyValue) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);

  const std::unique_ptr<int> taken = std::move(result).value();

  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, ItsStatusCanBeMovedOut) {
  Result<int> result = not_found();

  const Status status = std::move(result).status();

  EXPECT_EQ(status, not_found());
}

TEST(Result, CanBeChangedInPlace) {
  Result<std::string> result = std::string("a");

  result->append("b");
  *result += "c";
  result.value() += "d";

  EXPECT_EQ(result.value(), "abcd");
}

}  // namespace
}  // namespace trunkline
