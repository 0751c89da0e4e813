// SPDX-License-Identifier: MIT
// ExchangeFixture: the calls of one connection, with a session that records what is done to it and no transport.
#pragma once

#include "call/message_coding.h"
#include "kit/manual_clock.h"
#include "server/lasting_calls.h"
#include "server/plain_calls.h"

#include <trunkline/detail/unary_handler.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trunkline::server {

/// How a call was ended by Session::finish().
struct FinishedCall {
  session::CallId id = 0;
  Status status{};
  bool has_message = false;
  std::string payload{};
  const Codec* codec = nullptr;
  const Compressor* compressor = nullptr;
  Metadata trailing{};
  bool unprocessed = false;
};

/// What was given to Session::send().
struct SentPart {
  session::CallId id = 0;
  std::string payload{};
  Metadata leading{};
  bool end = false;
};

/// A server's session that takes everything and sends nothing. The test makes the events.
class RecordingSession final : public session::Session {
 public:
  explicit RecordingSession(std::vector<std::string>& journal) noexcept : journal_(journal) {}

  // --- for the test ---
  /// References stay valid while further calls end.
  std::deque<FinishedCall> finished;
  std::vector<SentPart> sent;
  std::map<session::CallId, void*> attached;
  std::vector<session::CallId> released;
  std::vector<session::CallId> released_queued;
  /// Runs at the beginning of finish(), as code of the user does that encodes the response. It may throw.
  std::function<void()> on_finish;
  std::function<void()> on_attach;
  /// The errors of the functions that have one.
  Status finish_result{};
  Status send_result{};
  Status decompress_result{};
  /// What decompress() makes of any payload.
  std::string decompressed;
  bool is_writable_now = true;
  bool is_closed_now = false;
  std::uint64_t received_so_far = 0;

  // --- what calls use ---
  void attach(session::CallId id, void* context) override {
    if (on_attach) on_attach();
    attached[id] = context;
  }
  Status finish(session::CallId id, const Status& status, const session::OutgoingMessage& message,
                const Metadata* trailing, bool unprocessed) override {
    if (on_finish) on_finish();
    FinishedCall call{.id = id, .status = status, .unprocessed = unprocessed};
    if (status.is_ok() && !finish_result.is_ok()) call.status = finish_result;
    call.has_message = message.has_message() && call.status.is_ok();
    call.payload = take(message);
    call.codec = message.codec;
    call.compressor = message.compressor;
    if (trailing != nullptr) call.trailing = *trailing;
    finished.push_back(call);
    attached.erase(id);
    journal_.push_back("finish " + std::to_string(id));
    return call.status;
  }
  Status send(session::CallId id, const session::OutgoingMessage& message, const Metadata* leading, bool end) override {
    if (!send_result.is_ok()) return send_result;
    SentPart part{.id = id, .payload = take(message), .end = end};
    if (leading != nullptr) part.leading = *leading;
    sent.push_back(std::move(part));
    journal_.push_back("send " + std::to_string(id));
    return {};
  }
  bool is_writable(session::CallId) const noexcept override { return is_writable_now; }
  Status decompress(session::Event& event) override {
    if (!decompress_result.is_ok()) return decompress_result;
    event.payload = as_bytes(decompressed);
    event.is_compressed = false;
    return {};
  }
  std::uint64_t received_of_message(session::CallId) const noexcept override { return received_so_far; }
  void release(session::CallId id, const session::MessageCredit&) override { released.push_back(id); }
  void release_queued(session::CallId id, const session::MessageCredit&) override { released_queued.push_back(id); }
  bool is_closed() const noexcept override { return is_closed_now; }
  std::size_t open_calls() const noexcept override { return attached.size(); }
  std::uint64_t payload_bytes_accepted() const noexcept override { return accepted_; }

  // --- what calls never use ---
  std::size_t prepare_receive(std::array<MutableByteSpan, 2>&) override { return 0; }
  void received(std::size_t, base::TimePoint) override {}
  bool next(session::Event&) override { return false; }
  std::size_t gather(std::span<ByteSpan>) override { return 0; }
  void wrote(std::size_t) override {}
  bool has_output() const noexcept override { return false; }
  std::size_t unsent_bytes() const noexcept override { return 0; }
  bool can_start() const noexcept override { return false; }
  Result<session::CallId> start(const session::CallStart&, const session::OutgoingMessage&) override {
    return Status(StatusCode::unimplemented, "not faked");
  }
  void cancel(session::CallId, StatusCode) override {}
  void drain() override {}
  bool is_drained() const noexcept override { return false; }
  void close(const Status&) override { is_closed_now = true; }
  void transport_closed(const Status&) override { is_closed_now = true; }
  const Status& close_reason() const noexcept override { return close_reason_; }
  bool is_open() const noexcept override { return true; }
  bool is_ordered() const noexcept override { return false; }

 private:
  std::string take(const session::OutgoingMessage& message) {
    Slice bytes = message.payload;
    if (message.message.type != nullptr) {
      EXPECT_TRUE(call::encode_message(message.codec, message.message, bytes).is_ok());
    }
    accepted_ += bytes.size();
    return std::string(as_text(bytes.bytes()));
  }

  std::vector<std::string>& journal_;
  std::uint64_t accepted_ = 0;
  Status close_reason_;
};

/// The connection, as its calls see it. It owns them, and they keep it alive while they are open.
class RecordingLink final : public ConnectionLink, public std::enable_shared_from_this<RecordingLink> {
 public:
  explicit RecordingLink(std::shared_ptr<LoopContext> shared) : context(std::move(shared)) {}
  void set_up() {
    connection_context_.set_up(context->loop(), context->server_state(), weak_from_this(), {.address = "test://peer"},
                               nullptr);
  }

  session::Session* session() noexcept override { return is_gone ? nullptr : &recorded; }
  void flush() override { ++flushes; }
  void drop() override { ++drops; }
  void on_call_ended() override { journal.emplace_back("call ended"); }
  const ConnectionContext& connection_context() const noexcept override { return connection_context_; }
  void set_draining() { connection_context_.is_draining = true; }

  const std::shared_ptr<LoopContext> context;
  /// What has happened, in order. The test adds what its handlers do.
  std::vector<std::string> journal;
  RecordingSession recorded{journal};
  /// True once the transport and its session are gone.
  bool is_gone = false;
  int flushes = 0;
  int drops = 0;

 private:
  ConnectionContext connection_context_;

 public:
  ConnectionCalls running;
  CallExchange exchange{*context, connection_context_, *this};
  PlainCalls plain{exchange};
  LastingCalls lasting{exchange, running};
};

/// A codec that decodes as the test says, and encodes nothing.
class ScriptedCodec final : public Codec {
 public:
  explicit ScriptedCodec(std::function<Status()> decoding) : decoding_(std::move(decoding)) {}
  std::string_view name() const noexcept override { return "scripted"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter&) const override { return {}; }
  Status decode(const Slice&, MutableMessageView) const override { return decoding_(); }

 private:
  const std::function<Status()> decoding_;
};

class ExchangeFixture : public ::testing::Test {
 protected:
  struct Logged {
    LogLevel level;
    std::string message;
    std::string method;
    std::string peer;
  };

  /// Call it before the other functions, which otherwise use the default options.
  void make(ServerOptions options = {}) {
    options.log = [this](const LogRecord& record) {
      logged.push_back(
          {record.level, std::string(record.message), std::string(record.method), std::string(record.peer)});
    };
    state = std::make_shared<ServerState>(std::move(options));
    context = std::make_shared<LoopContext>(state, loop);
    made_link = std::make_shared<RecordingLink>(context);
    made_link->set_up();
  }
  RecordingLink& link() {
    if (made_link == nullptr) make();
    return *made_link;
  }
  RecordingSession& recorded() { return link().recorded; }
  std::vector<std::string>& journal() { return link().journal; }
  LoopTotals& totals() { return link().context->totals(); }
  const Codec* bytes_codec() { return state->options.codecs.find("bytes"); }

  LoopMethod& add(std::string_view name, std::unique_ptr<MethodHandler> handler, MethodOptions options = {}) {
    link();
    auto method = std::make_shared<RegisteredMethod>();
    method->name = name;
    method->handler = std::move(handler);
    method->options = options;
    methods.push_back(std::make_shared<LoopMethod>(std::move(method), state->options.codecs));
    return *methods.back();
  }
  template <class Request, class Response, class Function>
  LoopMethod& handle(std::string_view name, Function function, MethodOptions options = {}) {
    return add(
        name,
        std::make_unique<detail::UnaryHandler<Request, Response, Function>>(std::move(function), options.blocking),
        options);
  }

  /// The event of a call with a whole request.
  session::Event call_event(std::string_view payload, session::CallId id = 1) {
    session::Event event;
    event.type = session::EventType::call;
    event.id = id;
    event.end = true;
    fill(event, payload);
    return event;
  }
  /// Adds a message, which `payload` must outlive.
  void fill(session::Event& event, std::string_view payload) {
    link();
    event.has_message = true;
    event.codec = bytes_codec();
    event.payload = as_bytes(payload);
    event.wire_bytes = payload.size();
    event.credit = {.connection_bytes = 10, .call_bytes = 20};
  }

  /// Runs the loop until nothing is left to do.
  void settle() {
    while (loop.poll()) {
    }
  }
  void on_loop(std::function<void()> task) {
    loop.post(std::move(task));
    settle();
  }
  void advance(base::Duration by) {
    clock.advance(by);
    settle();
  }
  /// Runs the loop until `done()`, for work that other threads hand back.
  template <class Predicate>
  void settle_until(Predicate done) {
    while (!done()) {
      settle();
      std::this_thread::yield();
    }
    settle();
  }

  kit::ManualClock clock;
  net::Loop loop{{}, &clock};
  std::vector<Logged> logged;
  std::shared_ptr<ServerState> state;
  std::shared_ptr<LoopContext> context;
  std::vector<std::shared_ptr<LoopMethod>> methods;
  std::shared_ptr<RecordingLink> made_link;
};

}  // namespace trunkline::server
