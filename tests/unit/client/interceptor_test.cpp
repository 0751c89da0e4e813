// SPDX-License-Identifier: MIT
// Interceptors around client calls and streams.
#include "unit/client/client_fixture.h"

namespace trunkline::client {

namespace {

class Recorder final : public Interceptor {
 public:
  Recorder(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}
  Status on_start(CallInfo& call) override {
    log_.push_back(name_ + " start " + std::string(call.method));
    id = call.id;
    if (add_metadata) call.metadata->add("from", name_);
    if (deadline) call.deadline = *deadline;
    return refusal;
  }
  void on_finish(CallInfo& call, Status& status) override {
    log_.push_back(name_ + " finish " + std::string(to_string(status.code())));
    EXPECT_EQ(call.id, id);
    peer = call.peer;
    if (replace) status = Status(StatusCode::data_loss, "replaced");
  }

  Status refusal;
  bool add_metadata = false;
  bool replace = false;
  std::optional<base::TimePoint> deadline;
  std::uint64_t id = 0;
  std::string peer;

 private:
  const std::string name_;
  std::vector<std::string>& log_;
};

class ClientInterceptors : public ClientFixture {
 protected:
  ClientInterceptors() { options.interceptors = {first, second}; }
  ~ClientInterceptors() override { destroy_channel(); }  // while there is a log to write to

  std::vector<std::string> log;
  std::shared_ptr<Recorder> first = std::make_shared<Recorder>("first", log);
  std::shared_ptr<Recorder> second = std::make_shared<Recorder>("second", log);
};

TEST_F(ClientInterceptors, RunInOrderAndBack) {
  const auto outcome = begin("x");

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(log,
            (std::vector<std::string>{"first start Echo", "second start Echo", "second finish ok", "first finish ok"}));
  EXPECT_EQ(first->peer, "inproc://fake");
}

TEST_F(ClientInterceptors, ARefusalEndsTheCallBeforeItIsSent) {
  second->refusal = Status(StatusCode::permission_denied, "not you");

  const auto outcome = begin("x");

  EXPECT_EQ(outcome->status().code(), StatusCode::permission_denied);
  EXPECT_EQ(outcome->status().message(), "not you");
  EXPECT_EQ(network.attempts, 0);
  EXPECT_EQ(log.size(), 4u);
}

TEST_F(ClientInterceptors, ARefusalOfTheFirstSkipsTheSecond) {
  first->refusal = Status(StatusCode::permission_denied, "not you");

  begin("x");

  EXPECT_EQ(log, (std::vector<std::string>{"first start Echo", "first finish permission_denied"}));
}

TEST_F(ClientInterceptors, AddMetadataAndBringTheDeadlineForward) {
  first->add_metadata = true;
  first->deadline = clock.now() + 2s;
  network.on_call = nullptr;

  begin("x", {.timeout = 1min});

  EXPECT_EQ(network.server(0).calls[0].metadata.get("from"), "first");
  EXPECT_EQ(network.server(0).calls[0].deadline, clock.now() + 2s);
}

TEST_F(ClientInterceptors, CannotPostponeTheDeadline) {
  first->deadline = clock.now() + 1h;
  network.on_call = nullptr;

  begin("x", {.timeout = 5s});

  EXPECT_EQ(network.server(0).calls[0].deadline, clock.now() + 5s);
}

TEST_F(ClientInterceptors, MayReplaceTheStatus) {
  first->replace = true;

  EXPECT_EQ(begin("x")->status().code(), StatusCode::data_loss);
}

TEST_F(ClientInterceptors, SeeFailuresOfConnecting) {
  network.refusals = 1;

  begin("x");

  EXPECT_EQ(log.back(), "first finish unavailable");
}

TEST_F(ClientInterceptors, SeeStreams) {
  network.on_call = [](FakeServer& server, const ServedCall& call) { server.respond(call.id, "only"); };
  std::optional<Status> finished;

  on_loop([&] {
    auto stream = channel().server_stream<std::string>("Watch", std::string("q"));
    finished = stream.finish();
  });

  EXPECT_EQ(finished, Status());
  EXPECT_EQ(log, (std::vector<std::string>{"first start Watch", "second start Watch", "second finish ok",
                                           "first finish ok"}));
}

}  // namespace

}  // namespace trunkline::client
