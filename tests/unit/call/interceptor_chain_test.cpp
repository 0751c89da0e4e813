// SPDX-License-Identifier: MIT
// Order, refusals and exceptions of interceptors.
#include "call/interceptor_chain.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::call {

namespace {

class Noting final : public Interceptor {
 public:
  Noting(char name, std::string& log) : name_(name), log_(log) {}
  Status on_start(CallInfo&) override {
    log_ += name_;
    if (throws_at_start) throw std::runtime_error("secret");
    return refusal;
  }
  void on_finish(CallInfo&, Status&) override {
    log_ += static_cast<char>(name_ - 'a' + 'A');
    if (throws_at_finish) throw std::runtime_error("secret");
  }
  Status refusal;
  bool throws_at_start = false;
  bool throws_at_finish = false;

 private:
  char name_;
  std::string& log_;
};

class Interceptors : public ::testing::Test {
 protected:
  Interceptors() { call.method = "M"; }

  std::string log;
  std::shared_ptr<Noting> a = std::make_shared<Noting>('a', log);
  std::shared_ptr<Noting> b = std::make_shared<Noting>('b', log);
  std::shared_ptr<Noting> c = std::make_shared<Noting>('c', log);
  std::vector<std::string> lines;
  const LogCallback log_lines = [this](const LogRecord& record) { lines.emplace_back(record.message); };
  InterceptorChain chain{{a, b, c}, &log_lines, false};
  CallInfo call;
  std::size_t started = 99;
  Status status;
};

TEST_F(Interceptors, RunInOrderAndBack) {
  EXPECT_TRUE(chain.start(call, started).is_ok());
  chain.finish(call, started, status);

  EXPECT_EQ(log, "abcCBA");
  EXPECT_EQ(started, 3u);
}

TEST_F(Interceptors, AfterARefusalOnlyThoseThatRanAreFinished) {
  b->refusal = Status(StatusCode::permission_denied, "no");

  status = chain.start(call, started);
  chain.finish(call, started, status);

  EXPECT_EQ(log, "abBA");
  EXPECT_EQ(status.code(), StatusCode::permission_denied);
}

TEST_F(Interceptors, ExceptionsAreInternalAndTheirTextIsLogged) {
  b->throws_at_start = true;
  a->throws_at_finish = true;

  status = chain.start(call, started);
  EXPECT_EQ(status, Status(StatusCode::internal, "call M: an interceptor's on_start threw an exception"));
  chain.finish(call, started, status);

  EXPECT_EQ(log, "abBA");
  EXPECT_EQ(status, Status(StatusCode::internal, "call M: an interceptor's on_finish threw an exception"));
  EXPECT_EQ(lines, (std::vector<std::string>{"call M: an interceptor's on_start threw an exception: secret",
                                             "call M: an interceptor's on_finish threw an exception: secret"}));
}

TEST_F(Interceptors, TheStatusOfTheirOwnersCallsHasTheTextOfExceptions) {
  a->throws_at_start = true;

  EXPECT_EQ(InterceptorChain({a}, &log_lines, true).start(call, started),
            Status(StatusCode::internal, "call M: an interceptor's on_start threw an exception: secret"));
}

TEST(InterceptorChain, NumbersCallsUniquely) {
  EXPECT_NE(InterceptorChain::next_call_id(), InterceptorChain::next_call_id());
  EXPECT_TRUE(InterceptorChain({}, nullptr, false).empty());
}

}  // namespace

}  // namespace trunkline::call
