// SPDX-License-Identifier: MIT
// Removal of methods: loops release the handler without further calls.
#include "unit/server/server_fixture.h"

namespace trunkline::server {

namespace {

class Removal : public ServerFixture {};

TEST_F(Removal, ReleasesTheHandlerOnAnIdleLoop) {
  auto alive = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = alive;
  handle<Slice, Slice>("Gone", [alive = std::move(alive)](const Slice& request, ServerContext&) { return request; });
  TestClient& client = connect();
  call(client, "Gone", "x");

  EXPECT_TRUE(server().remove_method("Gone"));
  settle();

  EXPECT_TRUE(watch.expired()) << "kept although nothing calls it";
  EXPECT_EQ(call(client, "Gone", "x").status.code(), StatusCode::unimplemented);
  EXPECT_FALSE(server().remove_method("Gone"));
}

TEST_F(Removal, FromTheHandlerItselfLetsTheCallEnd) {
  auto alive = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = alive;
  handle<Slice, std::string>("Gone", [this, alive = std::move(alive)](const Slice&, ServerContext&) {
    server().remove_method("Gone");
    return std::to_string(*alive);
  });

  const ReceivedResponse received = call(connect(), "Gone", "x");

  EXPECT_EQ(received.payload, "7");
  EXPECT_TRUE(watch.expired());
}

}  // namespace

}  // namespace trunkline::server
