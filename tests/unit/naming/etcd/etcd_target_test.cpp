// SPDX-License-Identifier: MIT
// URIs of servers that are announced in etcd.
#include "naming/etcd/etcd_target.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::naming::etcd {
namespace {

Result<EtcdTarget> parse(const std::string& uri) { return EtcdTarget::parse(Target::parse(uri).value()); }

TEST(EtcdTarget, NamesMembersAndPrefix) {
  const EtcdTarget target = parse("etcd://e1:2380,e2,[::1],[::1]:1/services/orders").value();

  ASSERT_EQ(target.members.size(), 4u);
  EXPECT_EQ(target.members[0].to_string(), "grpc://e1:2380");
  EXPECT_EQ(target.members[1].to_string(), "grpc://e2:2379");
  EXPECT_EQ(target.members[2].to_string(), "grpc://[::1]:2379");
  EXPECT_EQ(target.members[3].to_string(), "grpc://[::1]:1");
  EXPECT_EQ(target.prefix, "services/orders/");
  EXPECT_EQ(target.user, "");
  EXPECT_EQ(target.server_scheme, "tcp");
}

TEST(EtcdTarget, KeepsALeadingSlashOfThePrefix) {
  EXPECT_EQ(parse("etcd://e1//services/orders/").value().prefix, "/services/orders/");
  EXPECT_EQ(parse("etcd://e1/a%20b").value().prefix, "a b/");
}

TEST(EtcdTarget, NamesAUser) {
  const EtcdTarget target = parse("grpc+etcd://ro%40ot:p%3A:%2F@e1/orders").value();

  EXPECT_EQ(target.user, "ro@ot");
  EXPECT_EQ(target.password, "p::/");
  EXPECT_EQ(target.members.at(0).to_string(), "grpc://e1:2379");
  EXPECT_EQ(target.server_scheme, "grpc");
  EXPECT_EQ(target.text, "grpc+etcd://...@e1/orders");
}

TEST(EtcdTarget, CallsEtcdOverTls) {
  const EtcdTarget target =
      parse("etcds://e1/orders?ca_file=/etc/ca%20.pem&certificate_file=c&private_key_file=k&server_name=etcd").value();

  EXPECT_EQ(target.members.at(0).to_string(), "grpcs://e1:2379");
  EXPECT_EQ(target.tls.ca_file, "/etc/ca .pem");
  EXPECT_EQ(target.tls.certificate_file, "c");
  EXPECT_EQ(target.tls.private_key_file, "k");
  EXPECT_EQ(target.tls.server_name, "etcd");
}

struct Refused {
  const char* uri;
  const char* problem;
};

class RefusedEtcdTarget : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedEtcdTarget, SaysWhatIsWrong) {
  const Result<EtcdTarget> target = parse(GetParam().uri);

  ASSERT_FALSE(target.is_ok());
  EXPECT_EQ(target.status().code(), StatusCode::invalid_argument);
  const std::string text(target.status().message());
  EXPECT_NE(text.find(GetParam().problem), std::string::npos) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(All, RefusedEtcdTarget,
                         ::testing::Values(Refused{"etcd:///orders", "the members of etcd are missing"},
                                           Refused{"etcd://u:secret@/orders", "the members of etcd are missing"},
                                           Refused{"etcd://:secret@e1/orders", "the user is missing"},
                                           Refused{"etcd://u:%secret@e1/orders", "'%' in the user or password"},
                                           Refused{"etcd://u:secret@e1,,e2/orders", "\"\" is not the HOST:PORT"},
                                           Refused{"etcd://u:secret@e1:x/orders", "\"e1:x\" is not the HOST:PORT"},
                                           Refused{"etcd://u:secret/x@e1/orders", "a member of etcd is not HOST:PORT"},
                                           Refused{"etcd://u:1/x?secret@e1/orders", "unknown parameter, use ca_file"},
                                           Refused{"etcd://e1:0/orders", "\"e1:0\" is not the HOST:PORT"},
                                           Refused{"etcd://*/orders", "is not the HOST:PORT"},
                                           Refused{"etcd://e1", "prefix of the keys is missing"},
                                           Refused{"etcd://e1//", "prefix of the keys is missing"},
                                           Refused{"etcd://e1/a%2", "'%' in the prefix"},
                                           Refused{"etcd://e1/orders?ttl=3", "unknown parameter 'ttl', use ca_file"},
                                           Refused{"etcd://e1/orders?ca_file=x", "ca_file needs TLS: use etcds"},
                                           Refused{"etcds://e1/orders?ca_file=", "ca_file is empty"}));

}  // namespace
}  // namespace trunkline::naming::etcd
