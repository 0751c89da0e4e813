// SPDX-License-Identifier: MIT
// A session that throws, as one that finds no memory does.
#include "unit/client/client_fixture.h"
#include "unit/net/fake_session.h"

#include <new>

namespace trunkline::client {
namespace {

int closed_sessions = 0;

class ThrowingSession final : public net::FakeSession {
 public:
  using FakeSession::FakeSession;
  ~ThrowingSession() override { closed_sessions += is_closed() ? 1 : 0; }
  bool next(session::Event& event) override {
    if (!is_closed()) throw std::bad_alloc();
    return FakeSession::next(event);
  }
};

constexpr session::Protocol throwing{
    .name = "throwing",
    .make_session = [](const session::SessionParameters& parameters) -> std::unique_ptr<session::Session> {
      return std::make_unique<ThrowingSession>(parameters.owner);
    }};

class SessionException : public ClientFixture {};

TEST_F(SessionException, EndsTheConnectionAndDoesNotLeaveTheLoop) {
  closed_sessions = 0;
  network.protocol = &throwing;

  EXPECT_NO_THROW(begin("x"));
  network.server(0).cut();
  settle();
  advance(1min);

  EXPECT_GE(closed_sessions, 1);
}

}  // namespace
}  // namespace trunkline::client
