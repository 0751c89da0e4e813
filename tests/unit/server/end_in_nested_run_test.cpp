// SPDX-License-Identifier: MIT
// Calls that are cancelled while their last interceptor or their codec runs the loop.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/interceptor.h>
#include <trunkline/value.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace trunkline::server {

namespace {

using Work = std::function<void()>;

class AtFinish final : public Interceptor {
 public:
  explicit AtFinish(Work work) : work_(std::move(work)) {}
  Status on_start(CallInfo&) override { return {}; }
  void on_finish(CallInfo&, Status&) override { work_(); }

 private:
  const Work work_;
};

/// Replaces json on the server.
class AtEncoding final : public Codec {
 public:
  explicit AtEncoding(Work work) : work_(std::move(work)) {}
  std::string_view name() const noexcept override { return "json"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter& out) const override {
    work_();
    out.append(as_bytes("\"response\""));
    return {};
  }
  Status decode(const Slice&, MutableMessageView) const override { return {}; }

 private:
  const Work work_;
};

class EndInNestedRun : public ServerFixture {
 protected:
  void intercept() {
    ServerOptions options;
    options.interceptors = {std::make_shared<AtFinish>([this] { run_nested(); })};
    make(options);
  }
  void encode() {
    ServerOptions options;
    options.codecs.add(std::make_shared<AtEncoding>([this] { run_nested(); }));
    make(options);
  }
  /// A call whose handler has ended, and which `meanwhile` ends before its response is sent.
  session::CallId end(TestClient& client, const Work& meanwhile, session::CallStart start = {}) {
    const session::CallId id = client.call("Wait", "\"request\"", "json", start);
    settle();
    meanwhile_ = meanwhile;
    gate_->open();
    settle();
    return id;
  }
  void expect_cancelled() {
    EXPECT_EQ(runs_, 1) << "nothing ran in the meantime";
    EXPECT_TRUE(logged_.empty()) << logged_[0].message;
    EXPECT_EQ(server().totals().open_calls, 0u);
    EXPECT_EQ(server().totals().calls_cancelled, 1u);
    EXPECT_EQ(server().totals().calls_ok, 0u);
    EXPECT_EQ(server().totals().calls_failed, 0u);
  }

  std::unique_ptr<Gate> gate_ = std::make_unique<Gate>(loop_);
  /// What the next run of the user's code lets happen.
  Work meanwhile_;
  int runs_ = 0;

 private:
  void make(const ServerOptions& options) {
    make_server(options);
    handle<std::string, std::string>("Wait",
                                     [this](const std::string&, ServerContext&) -> asio::awaitable<std::string> {
                                       co_await gate_->pass();
                                       co_return "response";
                                     });
    handle<Value, Value>("Tree", [](const Value& request, ServerContext&) { return request; });
    handle_echo();
  }
  void run_nested() {
    const Work work = std::exchange(meanwhile_, nullptr);
    if (work == nullptr) return;
    ++runs_;
    work();
    settle();
  }
};

TEST_F(EndInNestedRun, ACallThatIsCancelledDuringOnFinishCountsAsCancelled) {
  intercept();
  TestClient& client = connect();

  session::CallId id = 0;
  id = end(client, [&] { client.cancel(1); });

  EXPECT_EQ(id, 1u);
  expect_cancelled();
  EXPECT_EQ(call(client, "Echo", "x").payload, "x");
}

TEST_F(EndInNestedRun, ACallWhoseDeadlinePassesDuringOnFinishCountsAsCancelled) {
  intercept();
  TestClient& client = connect();

  const session::CallId id = end(client, [&] { advance(std::chrono::seconds(2)); },
                                 {.method = {}, .deadline = loop_.now() + std::chrono::seconds(1)});

  expect_cancelled();
  EXPECT_EQ(client.response(id).status.code(), StatusCode::deadline_exceeded);
}

TEST_F(EndInNestedRun, ACallWhoseConnectionEndsDuringOnFinishCountsAsCancelled) {
  intercept();
  TestClient& client = connect();

  end(client, [&] { client.reset(); });

  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
  EXPECT_EQ(server().totals().calls_ok, 0u);
}

TEST_F(EndInNestedRun, ACallThatIsCancelledWhileItsResponseIsEncodedCountsAsCancelled) {
  encode();
  TestClient& client = connect();

  end(client, [&] { client.cancel(1); });

  expect_cancelled();
  EXPECT_EQ(call(client, "Echo", "x").payload, "x");
}

TEST_F(EndInNestedRun, AnOrderedCallThatIsCancelledDuringOnFinishMakesWayForTheNext) {
  intercept();
  TestClient& client = connect(true);
  session::CallId next = 0;

  end(client, [&] {
    client.cancel(1);
    next = client.call("Echo", "next");
  });

  EXPECT_EQ(client.response(next).payload, "next");
  EXPECT_TRUE(logged_.empty()) << logged_[0].message;
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
  EXPECT_EQ(server().totals().calls_ok, 1u);
}

TEST_F(EndInNestedRun, ARefusedCallThatIsCancelledDuringOnFinishCountsAsCancelled) {
  intercept();
  TestClient& client = connect(true);
  client.call("Wait", "\"request\"", "json");
  const session::CallId refused = client.call("Tree", "{", "json");
  settle();
  int finished = 0;
  meanwhile_ = [&] {
    // The first to finish is the call that waits, the second is the one that is refused.
    ++finished;
    meanwhile_ = [&] {
      ++finished;
      client.cancel(refused);
    };
  };

  gate_->open();
  settle();

  EXPECT_EQ(finished, 2);
  EXPECT_TRUE(logged_.empty()) << logged_[0].message;
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
  EXPECT_EQ(server().totals().calls_refused, 0u);
  EXPECT_EQ(server().totals().calls_started, 2u);
}

}  // namespace

}  // namespace trunkline::server
