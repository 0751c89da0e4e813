// SPDX-License-Identifier: MIT
// Which call sends next: turns, credit, order.
#include "session/native/send_queue.h"

#include "kit/frames.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace trunkline::session::native {
namespace {

class Source final : public FrameSource {
 public:
  void write_block(const QueuedFrame& frame, bool last, BufferWriter& out, std::uint32_t&) override {
    if (frame.started || last) return;
    wire::HeaderBlockWriter writer(out);
    writer.begin();
    writer.message_bytes(frame.payload.size());
    writer.finish();
  }
  void on_frame_sent(CallState& call, const QueuedFrame&) override { sent.push_back(call.id); }
  std::vector<CallId> sent;
};

class SendQueueTest : public testing::Test {
 protected:
  SendQueueTest() { queue.add_credit(1 << 20); }
  ~SendQueueTest() override {
    for (auto& call : calls) queue.remove(*call);
  }
  CallState& call(CallId id, std::int64_t credit = 1 << 20) {
    calls.push_back(std::make_unique<CallState>(id, nullptr, nullptr, [](base::Timer&, void*, base::TimePoint) {}));
    calls.back()->send_credit = credit;
    return *calls.back();
  }
  void push(CallState& to, std::size_t size, wire::FrameType type = wire::FrameType::message) {
    QueuedFrame* frame = QueuedFramePool::make();
    frame->type = type;
    frame->flags = wire::flag::message;
    frame->codec = 1;
    frame->payload = Slice::copy_of(std::string(size, 'x'));
    queue.push(to, frame);
  }
  /// Pumps. Returns the frames as pairs of call and message bytes.
  std::vector<std::pair<CallId, std::size_t>> pump(std::size_t until = 1u << 30, std::size_t chunk = 10000) {
    queue.pump(until, chunk, 65536);
    std::string bytes;
    std::array<ByteSpan, 64> spans;
    while (!output.empty()) {
      const std::size_t count = output.gather(spans);
      std::size_t size = 0;
      for (std::size_t i = 0; i < count; ++i) bytes += as_text(spans[i]), size += spans[i].size();
      output.consume(size);
    }
    std::vector<std::pair<CallId, std::size_t>> frames;
    for (const auto& frame : kit::FrameReader(false).read(bytes))
      frames.emplace_back(frame.header.call, frame.message.size());
    return frames;
  }

  base::OutputQueue output;
  Source source;
  SendQueue queue{output, source};
  std::vector<std::unique_ptr<CallState>> calls;
};

using Frames = std::vector<std::pair<CallId, std::size_t>>;

TEST_F(SendQueueTest, TakesTurns) {
  CallState& one = call(1);
  CallState& two = call(2);
  push(one, 25000);
  push(two, 15000);

  EXPECT_EQ(pump(), (Frames{{1, 10000}, {2, 10000}, {1, 10000}, {2, 5000}, {1, 5000}}));
  EXPECT_EQ(source.sent, (std::vector<CallId>{2, 1}));
  EXPECT_TRUE(queue.is_idle());
  EXPECT_EQ(queue.queued_bytes(), 0u);
}

TEST_F(SendQueueTest, LetsASmallMessagePassALargeOne) {
  CallState& large = call(1, 200 << 20);
  CallState& small = call(2);
  queue.add_credit(200 << 20);
  push(large, 100 << 20);
  static_cast<void>(pump(1));
  push(small, 8);

  const Frames frames = pump(25000);

  EXPECT_EQ(frames[0].first, 1u);
  EXPECT_EQ(frames[1], (std::pair<CallId, std::size_t>{2, 8}));
}

TEST_F(SendQueueTest, KeepsTheMessagesOfACallInOrder) {
  CallState& one = call(1);
  push(one, 12000);
  push(one, 5);

  EXPECT_EQ(pump(), (Frames{{1, 10000}, {1, 2000}, {1, 5}}));
}

TEST_F(SendQueueTest, StopsWhenTheOutputIsLongEnough) {
  CallState& one = call(1);
  push(one, 50000);

  const std::size_t count = pump(15000).size();

  EXPECT_EQ(count, 2u);
  EXPECT_EQ(queue.queued_bytes(), 30000u);
}

TEST_F(SendQueueTest, WaitsForTheCreditOfTheCall) {
  CallState& one = call(1, 3000);
  CallState& two = call(2);
  push(one, 9000);
  push(two, 10);

  const Frames before = pump();
  one.send_credit += 4000;
  queue.unblock(one);
  const Frames between = pump();
  one.send_credit += 2000;
  queue.unblock(one);

  EXPECT_EQ(before, (Frames{{2, 10}}));
  EXPECT_EQ(between, (Frames{{1, 7000}}));
  EXPECT_EQ(pump(), (Frames{{1, 2000}}));
}

TEST_F(SendQueueTest, WaitsForTheCreditOfTheConnection) {
  queue.take_credit((1 << 20) - 5000);
  CallState& one = call(1);
  push(one, 9000);

  const Frames before = pump();
  queue.add_credit(100000);

  EXPECT_EQ(before.size(), 1u);
  EXPECT_LT(before[0].second, 5000u);
  EXPECT_EQ(pump(), (Frames{{1, 9000 - before[0].second}}));
  EXPECT_GE(queue.credit(), 0);
}

TEST_F(SendQueueTest, SendsChunksBelowTheMinimumIfTheyAreTheLast) {
  CallState& one = call(1);
  push(one, 5000);

  EXPECT_EQ(pump(1u << 30, 1024).size(), 5u);
}

TEST_F(SendQueueTest, InOrderSendsOneCallCompletelyBeforeTheNext) {
  queue.set_order(SendQueue::Order::in_order);
  CallState& one = call(1);
  CallState& two = call(2);
  push(one, 25000);
  push(two, 10);

  EXPECT_EQ(pump(), (Frames{{1, 10000}, {1, 10000}, {1, 5000}, {2, 10}}));
}

TEST_F(SendQueueTest, InOrderWaitsForTheCreditOfTheFirstCall) {
  queue.set_order(SendQueue::Order::in_order);
  CallState& one = call(1, 10);
  CallState& two = call(2);
  push(one, 5000);
  push(two, 10);

  const Frames before = pump();
  one.send_credit += 5000;
  queue.unblock(one);

  EXPECT_TRUE(before.empty());
  EXPECT_EQ(pump(), (Frames{{1, 5000}, {2, 10}}));
}

TEST_F(SendQueueTest, SendsAFewLongMessagesAtATimeInTheirOrder) {
  for (CallId id = 1; id <= SendQueue::max_places + 2; ++id) push(call(id), 25000);
  push(call(50), 10);

  const Frames frames = pump();

  ASSERT_EQ(frames.size(), 3 * (SendQueue::max_places + 2) + 1);
  for (CallId id = 1; id <= SendQueue::max_places; ++id) EXPECT_EQ(frames[id - 1].first, id);
  EXPECT_EQ(frames[SendQueue::max_places].first, 50u) << "a short message passes";
  EXPECT_EQ(source.sent.front(), 50u);
  EXPECT_EQ(source.sent[source.sent.size() - 2], SendQueue::max_places + 1);
  EXPECT_EQ(queue.places_taken(), 0u);
}

TEST_F(SendQueueTest, ALongMessageThatLacksCreditKeepsItsPlace) {
  for (CallId id = 1; id <= SendQueue::max_places; ++id) push(call(id, 10000), 25000);
  CallState& next = call(50);
  push(next, 25000);

  static_cast<void>(pump());

  EXPECT_TRUE(next.is_parked);
  queue.remove(*calls[0]);
  EXPECT_FALSE(next.is_parked);
  EXPECT_EQ(pump(), (Frames{{50, 10000}, {50, 10000}, {50, 5000}}));
}

TEST_F(SendQueueTest, ALongMessageBehindAnotherOfItsCallGivesUpItsPlaceWhenItLacksCredit) {
  for (CallId id = 1; id <= SendQueue::max_places; ++id) {
    CallState& stream = call(id, 10000);
    push(stream, 25000);
    stream.queue_head->follows = true;
  }
  push(call(50), 25000);

  EXPECT_EQ(pump().back(), (std::pair<CallId, std::size_t>{50, 5000}));
  calls[0]->send_credit += 15000;
  queue.unblock(*calls[0]);
  EXPECT_EQ(pump().size(), 2u);
}

TEST_F(SendQueueTest, OpensACallBeforeItIsParked) {
  for (CallId id = 1; id <= SendQueue::max_places; ++id) push(call(id, 10000), 25000);
  CallState& late = call(50);
  push(late, 25000, wire::FrameType::call);
  late.queue_head->start = std::make_unique<QueuedStart>();

  const Frames frames = pump();

  EXPECT_EQ(frames.back(), (std::pair<CallId, std::size_t>{50, 16}));
  EXPECT_TRUE(late.is_parked);
  queue.remove(*calls[0]);
  EXPECT_EQ(pump().size(), 3u);
}

TEST_F(SendQueueTest, TakesNoMoreThanHalfTheConnectionsCreditForLongMessages) {
  queue.set_windows(1 << 20, 1 << 18);
  for (CallId id = 1; id <= 3; ++id) push(call(id, 10000), 25000);

  static_cast<void>(pump());

  EXPECT_EQ(queue.places_taken(), 2u);
  EXPECT_TRUE(calls[2]->is_parked);
}

TEST_F(SendQueueTest, RemoveUnparksNothingOfTheCallItself) {
  for (CallId id = 1; id <= SendQueue::max_places; ++id) push(call(id, 10000), 25000);
  CallState& parked = call(50);
  push(parked, 25000);
  static_cast<void>(pump());

  queue.remove(parked);

  EXPECT_FALSE(parked.is_parked);
  EXPECT_EQ(queue.places_taken(), SendQueue::max_places);
  queue.remove(*calls[0]);
  EXPECT_EQ(queue.places_taken(), SendQueue::max_places - 1);
}

TEST_F(SendQueueTest, HoldsBackWhatWaitsForThePeersApplication) {
  CallState& one = call(1, 9000);
  push(one, 9000);
  for (std::size_t size : {5000, 3000}) {
    push(one, size);
    calls[0]->queue_tail->follows = true;
  }
  const std::size_t queued = queue.queued_memory();

  EXPECT_EQ(pump(), (Frames{{1, 9000}}));
  EXPECT_EQ(queue.held_back_bytes(), 8000u);
  EXPECT_EQ(queue.contending_memory(), 0u);
  push(one, 100);
  EXPECT_EQ(queue.held_back_bytes(), 8100u);
  EXPECT_EQ(queue.contending_memory(), 0u);
  EXPECT_LT(queue.queued_memory(), queued);

  one.send_credit += 5000;
  queue.unblock(one);
  EXPECT_EQ(queue.held_back_bytes(), 0u);
  EXPECT_EQ(queue.contending_memory(), queue.queued_memory());
  EXPECT_EQ(pump(), (Frames{{1, 5000}}));
  EXPECT_EQ(queue.held_back_bytes(), 3100u);
  queue.remove(one);
  EXPECT_EQ(queue.held_back_bytes(), 0u);
  EXPECT_EQ(queue.contending_memory(), 0u);
}

/// The peer makes room for a first message by itself, so that one is not held back.
TEST_F(SendQueueTest, DoesNotHoldBackAFirstMessage) {
  CallState& one = call(1, 3000);
  push(one, 9000);

  EXPECT_EQ(pump(), Frames{});
  EXPECT_EQ(queue.held_back_bytes(), 0u);
  EXPECT_EQ(queue.contending_memory(), queue.queued_memory());
}

TEST_F(SendQueueTest, RemoveDropsTheFramesOfACall) {
  CallState& one = call(1);
  CallState& two = call(2);
  push(one, 25000);
  push(two, 10);
  static_cast<void>(pump(1));

  queue.remove(one);

  EXPECT_EQ(pump(), (Frames{{2, 10}}));
  EXPECT_TRUE(queue.is_idle());
  EXPECT_EQ(queue.queued_memory(), 0u);
}

}  // namespace
}  // namespace trunkline::session::native
