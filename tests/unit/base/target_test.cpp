// SPDX-License-Identifier: MIT
// What error texts show of the URI of a channel.
#include <trunkline/target.h>

#include <gtest/gtest.h>

#include <string>

namespace trunkline {
namespace {

TEST(Target, TextHasNoUserAndPassword) {
  const Target target = Target::parse("etcd://root:secret@e1:2379,e2/orders?ca_file=x").value();

  EXPECT_EQ(target.authority, "root:secret@e1:2379,e2");
  EXPECT_EQ(target.text, "etcd://...@e1:2379,e2/orders?ca_file=x");
}

TEST(Target, TextHidesAPasswordThatShouldHaveBeenEncoded) {
  for (const std::string password : {"sec/ret", "sec?ret", "1/secret", "sec@ret", "/secret"}) {
    const Result<Target> target = Target::parse("etcd://root:" + password + "@e1/orders");

    ASSERT_TRUE(target.is_ok()) << password;
    EXPECT_EQ(target->text, "etcd://...@e1/orders") << password;
  }
}

TEST(Target, ErrorsHideThePasswordToo) {
  for (const std::string uri : {"etcd+tls://root:secret@e1/orders", "etcd:root:secret@e1/orders",
                                "Etcd://root:secret@e1", "etcd://root:sec#ret@e1/orders"}) {
    const Result<Target> target = Target::parse(uri);

    ASSERT_FALSE(target.is_ok()) << uri;
    EXPECT_EQ(target.status().message().find("ret"), std::string_view::npos) << target.status().message();
  }
}

TEST(Target, TextOfAPathKeepsItsSigns) {
  EXPECT_EQ(Target::parse("file:///etc/a@b.json").value().text, "file:///etc/a@b.json");
}

}  // namespace
}  // namespace trunkline
