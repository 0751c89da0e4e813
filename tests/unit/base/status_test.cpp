// SPDX-License-Identifier: MIT
// Status: codes and their names, copies, details, and the changes that an ok status ignores.
#include <trunkline/status.h>

#include <array>
#include <utility>

namespace trunkline {
namespace {

TEST(StatusCode, NamesAndNumbersAreThoseOfGrpc) {
  constexpr std::array<std::string_view, 17> names = {
      "ok",        "cancelled",      "unknown",           "invalid_argument",   "deadline_exceeded",
      "not_found", "already_exists", "permission_denied", "resource_exhausted", "failed_precondition",
      "aborted",   "out_of_range",   "unimplemented",     "internal",           "unavailable",
      "data_loss", "unauthenticated"};

  for (std::size_t number = 0; number < names.size(); ++number) {
    EXPECT_EQ(to_string(static_cast<StatusCode>(number)), names[number]) << number;
    EXPECT_TRUE(is_valid_status_code(static_cast<std::uint32_t>(number))) << number;
  }
}

TEST(StatusCode, OutsideTheEnumerationIsUnknown) {
  EXPECT_EQ(to_string(static_cast<StatusCode>(17)), "unknown");
  EXPECT_EQ(to_string(static_cast<StatusCode>(255)), "unknown");
  EXPECT_FALSE(is_valid_status_code(17));
  EXPECT_FALSE(is_valid_status_code(UINT32_MAX));
}

TEST(StatusOrigin, HasNames) {
  EXPECT_EQ(to_string(StatusOrigin::local), "local");
  EXPECT_EQ(to_string(StatusOrigin::peer), "peer");
  EXPECT_EQ(to_string(StatusOrigin::transport), "transport");
  EXPECT_EQ(to_string(static_cast<StatusOrigin>(3)), "unknown");
}

TEST(Status, IsOnePointerWide) { EXPECT_EQ(sizeof(Status), sizeof(void*)); }

TEST(Status, IsOkByDefault) {
  const Status status;

  EXPECT_TRUE(status.is_ok());
  EXPECT_TRUE(static_cast<bool>(status));
  EXPECT_EQ(status.code(), StatusCode::ok);
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.origin(), StatusOrigin::local);
  EXPECT_TRUE(status.may_have_run());
  EXPECT_TRUE(status.details().empty());
  EXPECT_EQ(status.to_string(), "ok");
  EXPECT_EQ(status, Status::ok());
}

TEST(Status, CarriesCodeMessageAndOrigin) {
  const Status status(StatusCode::unavailable, "connect tcp://host:1: refused", StatusOrigin::transport);

  EXPECT_FALSE(status.is_ok());
  EXPECT_FALSE(static_cast<bool>(status));
  EXPECT_EQ(status.code(), StatusCode::unavailable);
  EXPECT_EQ(status.message(), "connect tcp://host:1: refused");
  EXPECT_EQ(status.origin(), StatusOrigin::transport);
  EXPECT_TRUE(status.may_have_run());
  EXPECT_EQ(status.to_string(), "unavailable: connect tcp://host:1: refused");
}

TEST(Status, WithoutMessageIsItsCode) { EXPECT_EQ(Status(StatusCode::aborted, "").to_string(), "aborted"); }

TEST(Status, OfCodeOkDropsTheMessage) {
  const Status status(StatusCode::ok, "all is well", StatusOrigin::peer);

  EXPECT_TRUE(status.is_ok());
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.origin(), StatusOrigin::local);
}

TEST(Status, OfACodeOutsideTheEnumerationIsUnknown) {
  EXPECT_EQ(Status(static_cast<StatusCode>(99), "odd").code(), StatusCode::unknown);
}

TEST(Status, KeepsMessagesWithZeroBytes) {
  const std::string message("a\0b", 3);

  EXPECT_EQ(Status(StatusCode::internal, message).message(), message);
}

TEST(Status, CollectsDetailsInOrder) {
  Status status(StatusCode::not_found, "no such user");

  status.add_detail("type.example/a", "one").add_detail("type.example/b", "").set_may_have_run(false);

  ASSERT_EQ(status.details().size(), 2u);
  EXPECT_EQ(status.details()[0], (StatusDetail{"type.example/a", "one"}));
  EXPECT_EQ(status.details()[1], (StatusDetail{"type.example/b", ""}));
  EXPECT_FALSE(status.may_have_run());
}

TEST(Status, OkIgnoresChanges) {
  Status status;

  status.set_origin(StatusOrigin::peer).set_may_have_run(false).add_detail("type", "value");

  EXPECT_TRUE(status.is_ok());
  EXPECT_EQ(status.origin(), StatusOrigin::local);
  EXPECT_TRUE(status.may_have_run());
  EXPECT_TRUE(status.details().empty());
}

TEST(Status, CopiesAreDeep) {
  Status original(StatusCode::data_loss, "gone", StatusOrigin::peer);
  original.add_detail("type", "value").set_may_have_run(false);

  Status copy = original;
  original.set_origin(StatusOrigin::local).set_may_have_run(true).add_detail("another", "");

  EXPECT_EQ(copy.origin(), StatusOrigin::peer);
  EXPECT_FALSE(copy.may_have_run());
  EXPECT_EQ(copy.details().size(), 1u);
}

TEST(Status, AssignmentReplacesEverything) {
  Status status(StatusCode::internal, "before");
  status.add_detail("type", "value");
  const Status other(StatusCode::cancelled, "after", StatusOrigin::peer);

  status = other;
  EXPECT_EQ(status.to_string(), "cancelled: after");
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  EXPECT_TRUE(status.details().empty());

  status = Status();
  EXPECT_TRUE(status.is_ok());
}

TEST(Status, SurvivesAssignmentToItself) {
  Status status(StatusCode::internal, "same");
  const Status& same = status;

  status = same;

  EXPECT_EQ(status.to_string(), "internal: same");
}

TEST(Status, IsOkAfterItWasMovedFrom) {
  Status status(StatusCode::internal, "moved");

  const Status target = std::move(status);

  EXPECT_EQ(target.message(), "moved");
  EXPECT_TRUE(status.is_ok());  // NOLINT: the state after a move is part of the contract
}

TEST(Status, EqualityIsOfCodeMessageAndDetails) {
  const Status status(StatusCode::aborted, "conflict");
  Status elsewhere(StatusCode::aborted, "conflict", StatusOrigin::peer);
  Status detailed = status;
  detailed.add_detail("type", "value");

  EXPECT_EQ(status, elsewhere);
  EXPECT_NE(status, detailed);
  EXPECT_NE(status, Status(StatusCode::aborted, "other"));
  EXPECT_NE(status, Status(StatusCode::internal, "conflict"));
  EXPECT_NE(status, Status());
  EXPECT_NE(Status(), status);
}

TEST(Status, SaysWhenToComeBack) {
  Status status(StatusCode::unavailable, "x");
  status.set_retry_after(std::chrono::milliseconds(61'250));

  ASSERT_TRUE(status.retry_after().has_value());
  EXPECT_EQ(*status.retry_after(), std::chrono::milliseconds(61'250));
  ASSERT_EQ(status.details().size(), 1u);
  EXPECT_EQ(status.details()[0].type_url, "type.googleapis.com/google.rpc.RetryInfo");
  EXPECT_EQ(status.details()[0].value, "\x0A\x07\x08\x3D\x10\x80\xE5\x9A\x77");
  EXPECT_FALSE(status.should_reconnect());
  EXPECT_EQ(Status(StatusCode::unavailable, "x").retry_after(), std::nullopt);
}

TEST(Status, ReadsPausesOfAnyForm) {
  const auto pause = [](std::string_view value) {
    return Status(StatusCode::unavailable, "x")
        .add_detail("type.googleapis.com/google.rpc.RetryInfo", std::string(value))
        .retry_after();
  };
  using std::chrono::milliseconds;

  EXPECT_EQ(pause(""), milliseconds(0));
  EXPECT_EQ(pause({"\x0A\x02\x08\x02", 4}), milliseconds(2000));
  EXPECT_EQ(pause({"\x12\x01z\x0A\x02\x08\x02", 7}), milliseconds(2000)) << "after an unknown field";
  EXPECT_EQ(pause({"\x0A\x7F\x08\x02", 4}), milliseconds(0)) << "cut off";
  EXPECT_EQ(pause({"\x0A\x0B\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 13}), milliseconds(86'400'000));
}

TEST(Status, SaysThatItsStreamMayBeOpenedAgain) {
  Status status(StatusCode::unavailable, "x");
  status.set_should_reconnect();
  Status other(StatusCode::unavailable, "x");
  other.add_detail("type.googleapis.com/google.rpc.ErrorInfo", "\x0A\x05OTHER\x12\x09trunkline");

  EXPECT_TRUE(status.should_reconnect());
  EXPECT_EQ(status.details()[0].value, "\x0A\x0FSERVER_DRAINING\x12\x09trunkline");
  EXPECT_FALSE(other.should_reconnect());
  EXPECT_FALSE(Status().should_reconnect());
}

}  // namespace
}  // namespace trunkline
