// SPDX-License-Identifier: MIT
// A server's threads: threads that the system refuses, exceptions on a loop, and the user's loop on another thread.
#include "net/dialer.h"
#include "unit/server/test_client.h"

#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <asio/post.hpp>

#include <pthread.h>

#include <future>
#include <stdexcept>
#include <thread>

namespace trunkline {

namespace {

/// Makes the system refuse every new thread: its stack would be too large.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST(ServerThreads, ThatTheSystemRefusesFailTheStart) {
  ServerOptions options;
  options.loops = 3;
  Server server(options);
  Status started;
  Status ran;
  {
    const NoThreads none;
    started = server.start();
    ran = server.run();
  }

  EXPECT_EQ(started.code(), StatusCode::resource_exhausted) << started.to_string();
  EXPECT_EQ(ran.code(), StatusCode::resource_exhausted) << ran.to_string();
  EXPECT_TRUE(server.start().is_ok()) << "tried again";
  EXPECT_TRUE(server.shutdown(std::chrono::seconds(30)).is_ok());
}

TEST(ServerThreads, SurviveExceptionsOfTasksOnTheirLoop) {
  std::promise<std::string> logged;
  ServerOptions options;
  // On a busy machine a handler may be reported as slow as well.
  options.slow_handler_threshold = std::chrono::milliseconds(0);
  options.log = [&logged](const LogRecord& record) { logged.set_value(std::string(record.message)); };
  Server server(options);
  std::promise<asio::any_io_executor> executor;
  server.handle<Slice, Slice>("Where", [&executor](const Slice& request, ServerContext& context) {
    executor.set_value(context.executor());
    return request;
  });
  const Endpoint endpoint = server.listen("inproc://threads-exceptions");
  ASSERT_TRUE(server.start().is_ok());
  net::Loop loop;
  server::TestClient client;
  const auto dial = net::dial(loop, endpoint, {}, [&client](Result<std::unique_ptr<net::Transport>> transport) {
    client.start(std::move(transport).value());
    client.call("Where", "x");
  });
  loop.run_until([&client] { return client.response_count() > 0; }, base::never);
  const asio::any_io_executor served = executor.get_future().get();

  asio::post(served, [] { throw std::runtime_error("of no call"); });
  const std::string text = logged.get_future().get();
  std::promise<void> after;
  asio::post(served, [&after] { after.set_value(); });
  after.get_future().wait();
  client.reset();
  server.stop();

  EXPECT_EQ(text, "run loop: an exception: of no call");
}

TEST(ServerThreads, PassOnAnExceptionOfTheUsersLoop) {
  EventLoop loop;
  Server server(loop);
  loop.post([] { throw std::runtime_error("the user's"); });

  EXPECT_THROW(static_cast<void>(server.run()), std::runtime_error);
  loop.post([&server] { server.stop(); });

  EXPECT_TRUE(server.run().is_ok()) << "may go on";
}

TEST(ServerThreads, ThatRunTheUsersLoopStopTheServerAfterShutdown) {
  EventLoop loop;
  Server server(loop);
  server.listen("inproc://threads-shutdown");
  ASSERT_TRUE(server.start().is_ok());
  std::thread thread([&loop] { loop.run(); });

  const Status drained = server.shutdown(std::chrono::seconds(30));
  const Status again = server.start();
  loop.stop();
  thread.join();

  EXPECT_TRUE(drained.is_ok()) << drained.to_string();
  EXPECT_EQ(again.code(), StatusCode::failed_precondition) << "shutdown() did not stop the server";
}

}  // namespace

}  // namespace trunkline
