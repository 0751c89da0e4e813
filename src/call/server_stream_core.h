// SPDX-License-Identifier: MIT
// ServerStreamCore: a streaming call as its handler sees it.
#pragma once

#include "call/stream_core.h"

namespace trunkline::call {

/// A handler's settings for its response so far. Called on the handler's thread, right before each message is sent.
class ResponseSettings {
 public:
  virtual ~ResponseSettings() = default;
  virtual const Compressor* response_compressor() = 0;
  /// Returns the leading metadata added since the last call, which goes with the next message if that is the first one.
  /// Called when a message has been encoded, and when the handler has ended.
  virtual Metadata take_leading_metadata() = 0;
  /// Reports that a codec threw `text`. Returns the status of the handler's operation, which the handler may pass on.
  /// It is called on the loop's thread, too.
  virtual Status on_codec_exception(const Status& without_text, const std::string& text) = 0;
  /// Reports on the loop's thread that leading metadata of a failed handler cannot be sent; `why` says why.
  virtual void on_metadata_dropped(const Status& why) noexcept = 0;
  /// Called on the loop's thread by StreamCore::on_size_known().
  virtual void on_size_known(std::size_t bytes) = 0;
  /// Called on the loop's thread by StreamCore::count_waiting().
  virtual session::HeldMemory count_waiting(std::size_t bytes) = 0;
};

/// A stream that the server makes for a call of a streaming method. The server passes the events of the call to it:
///   `call` event: session.attach(id, context), core->attach(link, id), core->on_message(event)
///   `message`: core->on_message(event); `writable`: core->on_writable()
///   `cancelled`: core->on_cancelled(event.status)
/// and calls finish() when the handler has ended. Only the loop's thread uses it, except for what the handler calls.
class ServerStreamCore final : public StreamCore {
 public:
  /// `codecs` and `settings` must outlive the handler.
  ServerStreamCore(std::shared_ptr<StreamHost> host, const CodecRegistry& codecs, ResponseSettings& settings)
      : StreamCore(std::move(host), codecs), settings_(settings) {}

  /// Sets the codec of responses, if it is known before a request has come.
  void set_response_codec(const Codec* codec) noexcept { set_codec(codec); }
  /// Returns the codec of responses; null while it is not known.
  const Codec* response_codec() const noexcept { return codec(); }
  /// Handles a message as StreamCore does. Responses use the codec of the request, unless another is set.
  void on_message(session::Event& event) {
    if (event.codec != nullptr && !has_codec()) set_codec(event.codec);
    StreamCore::on_message(event);
  }
  /// Ends the stream, as the caller is gone, and the session has dropped the call. Operations in progress, and later
  /// ones, end with cancelled or deadline_exceeded.
  void on_cancelled(const Status& status);
  /// Ends the stream with the handler's `status`, which goes to the caller unless that is gone. Returns what was sent.
  Status finish(const Status& status, const Metadata* trailing);
  /// Does nothing: a handler cannot cancel its call, but ends it by returning.
  void cancel() override {}
  void release() override {}

 private:
  const Compressor* compressor_for_write() override { return settings_.response_compressor(); }
  Metadata take_leading() override { return settings_.take_leading_metadata(); }
  Status on_codec_exception(const Status& status, const std::string& text) override {
    return settings_.on_codec_exception(status, text);
  }
  void on_size_known(std::size_t bytes) override { settings_.on_size_known(bytes); }
  session::HeldMemory count_waiting(std::size_t bytes) override { return settings_.count_waiting(bytes); }

  ResponseSettings& settings_;
};

}  // namespace trunkline::call
