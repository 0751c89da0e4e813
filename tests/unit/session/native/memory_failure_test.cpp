// SPDX-License-Identifier: MIT
// Calls whose start, message or end finds no memory: each allocation fails once, and all of them from each on.
#include "base/block_pool.h"
#include "kit/session_pair.h"
#include "unit/session/failing_memory.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::session::native {
namespace {

using namespace std::chrono_literals;

/// A connection whose server holds the calls of the method "hold" open and echoes those of others. Counts how calls
/// end, on the client's side.
class Connection {
 public:
  explicit Connection(bool is_ordered = false) : pair_(options(is_ordered)) {
    pair_.client().on_event = [this](Event& event) {
      if (event.type == EventType::finished) ++ends_[event.id], statuses_[event.id] = event.status;
    };
    pair_.server().on_event = [this](Event& event) { serve(event); };
    pair_.settle();
    EXPECT_TRUE(call("echo"));
  }

  kit::SessionPair& pair() noexcept { return pair_; }
  Session& client() { return pair_.client().session(); }
  Session& server() { return pair_.server().session(); }
  /// Called once for the next call of the method "now", with the call in hand.
  std::function<void(CallId)> on_call;
  const std::vector<std::string>& messages() const noexcept { return messages_; }
  int ends_of(CallId id) { return ends_[id]; }
  const Status& status_of(CallId id) { return statuses_[id]; }
  std::size_t ends() const noexcept {
    std::size_t all = 0;
    for (const auto& [id, count] : ends_) all += static_cast<std::size_t>(count);
    return all;
  }

  static CallStart start_of(std::string_view method) {
    const std::uint32_t key = method == "echo" ? 1 : method == "hold" ? 2 : method == "now" ? 3 : 4;
    return {.method = {.key = key, .name = method}, .context = &context};
  }
  /// A call of `method`, open at the server when this returns, unless that ends it.
  CallId begin(std::string_view method, bool end = true) {
    CallStart start = start_of(method);
    start.end = end;
    const Result<CallId> id = client().start(start, kit::payload("x"));
    EXPECT_TRUE(id.is_ok());
    pair_.settle();
    return *id;
  }
  /// True if a new call gets its response.
  bool call(std::string_view method) {
    if (!client().can_start()) return false;
    const CallId id = begin(method);
    return ends_[id] == 1 && statuses_[id].is_ok();
  }
  void use_up_credit() {
    pair_.server_reads = false;
    CallStart start = start_of("hold");
    for (std::size_t sent = 0; sent < 1'200'000; sent += 50'000) {
      EXPECT_TRUE(client().start(start, kit::payload(std::string(50'000, 'x'))).is_ok());
      ++fillers;
    }
  }
  /// Calls that use_up_credit() has begun.
  std::size_t fillers = 0;

 private:
  static inline int context = 0;

  static kit::SessionPair::Options options(bool is_ordered) {
    kit::SessionPair::Options result;
    for (SessionOptions* side : {&result.client, &result.server}) {
      side->limits.connection_credit_bytes = 1 << 20;
      side->limits.call_credit_bytes = 64 << 10;
      side->ordered = is_ordered;
    }
    return result;
  }
  void serve(Event& event) {
    if (event.has_message) messages_.emplace_back(as_text(event.payload));
    if (event.type != EventType::call) return;
    if (!event.method_name.empty()) names_[event.method_number] = event.method_name;
    const std::string method(event.method_number != 0 ? names_[event.method_number] : std::string(event.method_name));
    if (method == "now" && on_call) return std::exchange(on_call, nullptr)(event.id);
    if (method == "hold" || method == "now") return server().attach(event.id, &context);
    static_cast<void>(server().finish(event.id, {}, kit::payload("echo"), nullptr, false));
  }

  kit::SessionPair pair_;
  std::map<std::uint32_t, std::string> names_;
  std::vector<std::string> messages_;
  std::map<CallId, int> ends_;
  std::map<CallId, Status> statuses_;
};

/// Runs `attempt` with each of its allocations failing in turn, on threads of their own: those keep no freed memory
/// of earlier attempts. `attempt` does what may fail within `fail`, which returns whether it threw.
using Fail = std::function<bool(const std::function<void()>&)>;
void sweep(const std::function<void(const Fail&)>& attempt) {
  if (!FailingMemory::is_supported()) GTEST_SKIP() << "memory cannot fail in this build";
  constexpr long most = 1000;
  for (const auto failure : {FailingMemory::Failure::once, FailingMemory::Failure::from_then_on}) {
    long nth = 1;
    for (bool has_failed = true; has_failed && nth < most && !testing::Test::HasFailure(); ++nth) {
      SCOPED_TRACE("allocation " + std::to_string(nth) +
                   (failure == FailingMemory::Failure::once ? " fails" : " and all after it fail"));
      std::thread([&] {
        attempt([&](const std::function<void()>& action) {
          base::free_block_pool();
          const FailingMemory failing(nth, failure);
          bool has_thrown = false;
          try {
            action();
          } catch (const std::bad_alloc&) {
            has_thrown = true;
          }
          has_failed = failing.has_failed();
          return has_thrown;
        });
      }).join();
    }
    EXPECT_TRUE(nth > 2 || testing::Test::HasFailure()) << "nothing was allocated";
    EXPECT_LT(nth, most);
  }
}

// --- start ---

struct StartCase {
  std::string name;
  std::string method = "new";
  std::string message = "x";
  bool has_metadata = false;
  bool is_queued = false;
  bool one_way = false;
  /// Encoded straight into the output.
  bool is_direct = false;
  /// Calls that are open already, as many as the table has room for.
  std::size_t held = 0;
};

class StartWithoutMemory : public testing::TestWithParam<StartCase> {};

TEST_P(StartWithoutMemory, LeavesACallThatEndsOnceOrNoTrace) {
  const StartCase& with = GetParam();
  sweep([&](const Fail& fail) {
    Connection connection;
    for (std::size_t i = 0; i < with.held; ++i, ++connection.fillers) connection.begin("hold");
    if (with.is_queued) connection.use_up_credit();
    Metadata metadata;
    metadata.add("key", std::string(100, 'v'));
    CallStart start = Connection::start_of(with.method);
    start.metadata = with.has_metadata ? &metadata : nullptr;
    start.one_way = with.one_way;
    if (with.has_metadata) start.deadline = connection.pair().clock().now() + 1min, start.now = start.deadline - 1min;
    const OutgoingMessage message = with.is_direct ? kit::direct(with.message) : kit::payload(with.message);
    if (with.is_direct) {
      EXPECT_TRUE(connection.client().start(Connection::start_of("hold"), message).is_ok());
      ++connection.fillers;
    }

    const std::size_t open_before = connection.client().open_calls();
    const std::size_t ends_before = connection.ends();
    std::optional<Result<CallId>> id;
    const bool has_thrown = fail([&] { id = connection.client().start(start, message); });

    const bool has_begun = !has_thrown && id->is_ok();
    EXPECT_EQ(connection.client().open_calls() - open_before, has_begun && (!with.one_way || with.is_queued) ? 1u : 0u);
    connection.pair().server_reads = true;
    connection.pair().settle();
    EXPECT_EQ(connection.ends() - ends_before, has_begun && !with.one_way ? 1u : 0u);
    EXPECT_EQ(connection.client().open_calls(), connection.fillers);
    EXPECT_TRUE(connection.call("echo")) << connection.client().close_reason().to_string();
    EXPECT_TRUE(connection.call(with.method)) << "the method's number was not taught";
  });
}

INSTANTIATE_TEST_SUITE_P(
    Forms, StartWithoutMemory,
    testing::Values(StartCase{.name = "KnownMethod", .method = "echo", .held = 8},
                    StartCase{.name = "Direct", .method = "echo", .is_direct = true, .held = 7},
                    StartCase{.name = "NewMethod"},
                    StartCase{.name = "LongMessage", .message = std::string(10'000, 'x')},
                    StartCase{.name = "WithMetadataAndDeadline", .has_metadata = true},
                    StartCase{.name = "OneWay", .one_way = true}, StartCase{.name = "Queued", .is_queued = true},
                    StartCase{.name = "QueuedWithMetadata", .has_metadata = true, .is_queued = true},
                    StartCase{.name = "QueuedOneWay", .is_queued = true, .one_way = true},
                    StartCase{.name = "InChunks", .message = std::string(200'000, 'x')}),
    [](const auto& form) { return form.param.name; });

// --- send ---

class SendWithoutMemory : public testing::TestWithParam<std::size_t> {};

TEST_P(SendWithoutMemory, SendsAMessageWholeOrNotAtAll) {
  const std::string text(GetParam(), 'm');
  sweep([&](const Fail& fail) {
    Connection connection;
    const CallId id = connection.begin("hold", false);
    const std::size_t before = connection.messages().size();
    const OutgoingMessage message = kit::payload(text);

    std::optional<Status> sent;
    const bool has_thrown = fail([&] { sent = connection.client().send(id, message, nullptr, false); });
    connection.pair().settle();

    const std::size_t expected = !has_thrown && sent->is_ok() ? 1 : 0;
    EXPECT_EQ(connection.messages().size() - before, expected);
    EXPECT_TRUE(connection.client().send(id, kit::payload("last"), nullptr, true).is_ok());
    connection.pair().settle();
    ASSERT_EQ(connection.messages().size() - before, expected + 1);
    EXPECT_EQ(connection.messages().back(), "last");
    EXPECT_TRUE(connection.server().finish(id, {}, kit::payload("end"), nullptr, false).is_ok());
    connection.pair().settle();
    EXPECT_EQ(connection.ends_of(id), 1);
    EXPECT_TRUE(connection.call("echo"));
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, SendWithoutMemory, testing::Values(10, 10'000, 200'000));

// --- finish ---

struct FinishCase {
  std::string name;
  std::size_t message = 10;
  bool is_attached = false;
  bool has_queue = false;
  bool has_trailing = false;
  bool is_ordered = false;
  StatusCode code = StatusCode::ok;
};

class FinishWithoutMemory : public testing::TestWithParam<FinishCase> {};

TEST_P(FinishWithoutMemory, EndsTheCallOnce) {
  const FinishCase& with = GetParam();
  sweep([&](const Fail& fail) {
    Connection connection(with.is_ordered);
    const OutgoingMessage message =
        with.code == StatusCode::ok ? kit::payload(std::string(with.message, 'r')) : OutgoingMessage{};
    const OutgoingMessage before = kit::payload(std::string(200'000, 'b'));
    const Status status = with.code == StatusCode::ok ? Status() : Status(with.code, "a text that explains it");
    Metadata trailing;
    trailing.add("key", std::string(100, 'v'));
    bool has_thrown = false;
    std::optional<Status> sent;
    const auto finish = [&](CallId id) {
      has_thrown = fail([&] {
        sent = connection.server().finish(id, status, message, with.has_trailing ? &trailing : nullptr, false);
      });
    };
    if (!with.is_attached) connection.on_call = finish;

    const CallId id = connection.begin("now");
    if (with.is_attached) {
      if (with.has_queue) {
        EXPECT_TRUE(connection.server().send(id, before, nullptr, false).is_ok());
      }
      finish(id);
    }
    connection.pair().settle();

    EXPECT_EQ(connection.ends_of(id), 1);
    EXPECT_EQ(connection.ends(), 2u) << "the first call and this one";
    EXPECT_EQ(connection.client().open_calls(), 0u);
    EXPECT_EQ(connection.server().open_calls(), 0u);
    if (!has_thrown) {
      EXPECT_EQ(connection.status_of(id).code(), sent->code());
    } else if (!connection.client().is_closed()) {
      EXPECT_EQ(connection.status_of(id).code(), StatusCode::resource_exhausted);
    }
    EXPECT_TRUE(connection.client().is_closed() || connection.call("echo"));
  });
}

INSTANTIATE_TEST_SUITE_P(
    Forms, FinishWithoutMemory,
    testing::Values(
        FinishCase{.name = "InHand"}, FinishCase{.name = "LongInHand", .message = 10'000},
        FinishCase{.name = "QueuedInHand", .message = 200'000},
        FinishCase{.name = "WithTrailing", .has_trailing = true},
        FinishCase{.name = "WithError", .code = StatusCode::not_found},
        FinishCase{.name = "Attached", .is_attached = true},
        FinishCase{.name = "AttachedAndQueued", .message = 200'000, .is_attached = true},
        FinishCase{.name = "BehindItsMessages", .is_attached = true, .has_queue = true},
        FinishCase{
            .name = "ErrorBehindItsMessages", .is_attached = true, .has_queue = true, .code = StatusCode::not_found},
        FinishCase{.name = "Ordered", .message = 200'000, .is_ordered = true},
        FinishCase{.name = "OrderedBehindItsMessages", .is_attached = true, .has_queue = true, .is_ordered = true}),
    [](const auto& form) { return form.param.name; });

}  // namespace
}  // namespace trunkline::session::native
