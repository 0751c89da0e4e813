// SPDX-License-Identifier: MIT
// ServerStreamCore: a streaming call as its handler sees it.
#pragma once

#include "call/stream_core.h"

namespace trunkline::call {

/// What the handler has said about its answer so far; asked on the handler's thread, right before each message is sent.
class AnswerFacts {
 public:
  virtual ~AnswerFacts() = default;
  virtual const Compressor* answer_compressor() = 0;
  /// What was added since the last time; goes out with the next message, if that is the first. Called when a message
  /// has been encoded, and when the handler has ended.
  virtual Metadata take_leading_metadata() = 0;
  /// A codec threw `text`: the status the handler gets for its operation, and may pass on. Also on the loop's thread.
  virtual Status on_codec_exception(const Status& without_text, const std::string& text) = 0;
};

/// Made by the server when a call of a streaming method comes. The server hands it the call's events:
///   `call` event: session.attach(id, context), core->attach(link, id), core->on_message(event)
///   `message`: core->on_message(event); `writable`: core->on_writable()
///   `cancelled`: core->on_cancelled(event.status)
/// and when the handler has ended, finish(). Loop's thread, except for what the handler calls.
class ServerStreamCore final : public StreamCore {
 public:
  /// `codecs` and `facts` must outlive the handler.
  ServerStreamCore(std::shared_ptr<StreamHost> host, const CodecRegistry& codecs, AnswerFacts& facts)
      : StreamCore(std::move(host), codecs), facts_(facts) {}

  /// Takes the request's codec for the answers, then as StreamCore::on_message.
  void on_message(session::Event& event) {
    if (event.codec != nullptr && !has_codec()) set_codec(event.codec);
    StreamCore::on_message(event);
  }
  /// The caller has gone: the session has forgotten the call. Operations under way, and later ones, end with cancelled
  /// or deadline_exceeded.
  void on_cancelled(const Status& status);
  /// The handler has ended with `status`: tells the caller, unless it has gone. Returns what the session made of it.
  Status finish(const Status& status, const Metadata* trailing);
  /// The handler's to call, but a server's call is not given up that way: the handler returns.
  void cancel() override {}
  void let_go() override {}

 private:
  const Compressor* compressor_for_write() override { return facts_.answer_compressor(); }
  Metadata take_leading() override { return facts_.take_leading_metadata(); }
  Status on_codec_exception(const Status& status, const std::string& text) override {
    return facts_.on_codec_exception(status, text);
  }

  AnswerFacts& facts_;
};

}  // namespace trunkline::call
