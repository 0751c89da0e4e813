// SPDX-License-Identifier: MIT
// Interceptors around handlers of each execution.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/interceptor.h>

#include <stdexcept>

namespace trunkline::server {

namespace {

class Recorder final : public Interceptor {
 public:
  Recorder(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}
  Status on_start(CallInfo& call) override {
    log_.push_back(name_ + " start " + std::string(call.method) + " " + std::string(call.peer) + " " +
                   std::string(call.metadata->get("who").value_or("-")));
    id_ = call.id;
    return refuse_ ? Status(StatusCode::permission_denied, "not you") : Status();
  }
  void on_finish(CallInfo& call, Status& status) override {
    log_.push_back(name_ + " finish " + std::string(to_string(status.code())) +
                   (call.id == id_ ? "" : " of another call"));
    call.metadata->add("seen-by", name_);
    if (replace_) status = Status(StatusCode::aborted, "replaced");
  }
  bool refuse_ = false;
  bool replace_ = false;

 private:
  std::string name_;
  std::vector<std::string>& log_;
  std::uint64_t id_ = 0;
};

class ServerInterceptors : public ServerFixture {
 protected:
  ServerInterceptors() {
    ServerOptions options;
    options.interceptors = {a_, b_};
    make_server(options);
  }
  std::vector<std::string> log_;
  std::shared_ptr<Recorder> a_ = std::make_shared<Recorder>("a", log_);
  std::shared_ptr<Recorder> b_ = std::make_shared<Recorder>("b", log_);
};

TEST_F(ServerInterceptors, SeeStartAndFinish) {
  handle_echo();
  const Metadata metadata{{"who", "me"}};

  const ReceivedResponse received = call(connect(), "Echo", "x", "bytes", {.method = {}, .metadata = &metadata});

  EXPECT_EQ(log_, (std::vector<std::string>{"a start Echo inproc://test me", "b start Echo inproc://test me",
                                            "b finish ok", "a finish ok"}));
  EXPECT_EQ(received.payload, "x");
  EXPECT_EQ(received.trailing.get_all("seen-by"), (std::vector<std::string_view>{"b", "a"}));
}

TEST_F(ServerInterceptors, RefuseBeforeTheHandlerRuns) {
  int runs = 0;
  handle<Slice, Empty>("Run", [&runs](const Slice&, ServerContext&) {
    ++runs;
    return Status::ok();
  });
  a_->refuse_ = true;

  const ReceivedResponse received = call(connect(), "Run", "x");

  EXPECT_EQ(received.status.code(), StatusCode::permission_denied);
  EXPECT_FALSE(received.status.may_have_run());
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(log_, (std::vector<std::string>{"a start Run inproc://test -", "a finish permission_denied"}));
}

TEST_F(ServerInterceptors, ReplaceTheStatus) {
  handle_echo();
  b_->replace_ = true;

  const ReceivedResponse received = call(connect(), "Echo", "x");

  EXPECT_EQ(received.status.code(), StatusCode::aborted);
  EXPECT_FALSE(received.has_message);
  EXPECT_EQ(log_.back(), "a finish aborted");
}

TEST_F(ServerInterceptors, SeeExceptions) {
  handle<Slice, Empty>("Throw", [](const Slice&, ServerContext&) -> Status { throw std::runtime_error("secret"); });

  call(connect(), "Throw", "x");

  EXPECT_EQ(log_.back(), "a finish internal");
}

TEST_F(ServerInterceptors, SeeCoroutinesAndTheirCancellation) {
  Gate gate(loop_);
  handle<Slice, Empty>("Wait", [&gate](const Slice&, ServerContext&) -> asio::awaitable<Status> {
    co_await gate.pass();
    co_return Status::ok();
  });
  TestClient& client = connect();

  const session::CallId id = client.call("Wait", "x");
  settle();
  EXPECT_EQ(log_.size(), 2u);
  client.cancel(id);
  settle();

  EXPECT_EQ(log_.size(), 4u);
  EXPECT_EQ(log_.back(), "a finish cancelled");
}

TEST_F(ServerInterceptors, SeeBlockingHandlers) {
  handle<Slice, Slice>("Block", [](const Slice& request, ServerContext&) { return request; }, {.blocking = true});
  TestClient& client = connect();

  const session::CallId id = client.call("Block", "x");
  settle_until([&] { return client.has(id); });

  EXPECT_EQ(log_.size(), 4u);
  EXPECT_EQ(client.response(id).trailing.get_all("seen-by").size(), 2u);
}

TEST_F(ServerInterceptors, DoNotSeeCallsThatAreRefusedBefore) {
  EXPECT_EQ(call(connect(), "Nobody", "x").status.code(), StatusCode::unimplemented);
  EXPECT_TRUE(log_.empty());
}

}  // namespace

}  // namespace trunkline::server
