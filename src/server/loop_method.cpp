// SPDX-License-Identifier: MIT
// LoopMethod: decodes requests, chooses the codec of responses and keeps messages for reuse.
#include "server/loop_method.h"

#include <algorithm>
#include <string>

namespace trunkline::server {

namespace {

constexpr std::size_t max_reusable_messages = 64;

/// Returns true if a message may be kept. Types without a direct form give their memory back when they are cleared.
bool may_be_kept(const MessageType& type, const void* object) {
  return type.size == nullptr || type.size(object) <= LoopMethod::max_reused_bytes;
}

std::string describe(const RegisteredMethod& method) { return "call " + method.name + ": "; }

}  // namespace

LoopMethod::LoopMethod(std::shared_ptr<RegisteredMethod> method, const CodecRegistry& codecs)
    : method_(std::move(method)), shape_(method_->handler->shape()) {
  const MessageType& request = *shape_.request;
  const MessageType& response = *shape_.response;
  request_direct_ = request.parse != nullptr ? codecs.find(request.direct_codec) : nullptr;
  response_default_ = codecs.find(response.default_codec);
  request_is_slice_ = *request.type == typeid(Slice);
  response_is_slice_ = *response.type == typeid(Slice);
}

std::unique_ptr<CallMessages> LoopMethod::take_messages() {
  if (reusable_.empty()) return method_->handler->make_messages();
  std::unique_ptr<CallMessages> messages = std::move(reusable_.back());
  reusable_.pop_back();
  return messages;
}

void LoopMethod::give_back(std::unique_ptr<CallMessages> messages, std::size_t payload_bytes) noexcept try {
  // A short request may have had a long response, and clear() keeps the memory of that.
  if (payload_bytes > max_reused_bytes || !may_be_kept(*shape_.response, messages->response.object)) return;
  // A slice that is kept would keep the buffer that it views alive.
  if (request_is_slice_) *static_cast<Slice*>(messages->request.object) = Slice();
  if (response_is_slice_) *static_cast<Slice*>(messages->response.object) = Slice();
  if (shape_.fills_response && shape_.response->clear != nullptr) shape_.response->clear(messages->response.object);
  if (reusable_.size() < max_reusable_messages) reusable_.push_back(std::move(messages));
} catch (...) {
  // Messages that cannot be cleared are not reused.
}

Status LoopMethod::decode(const session::Event& event, CallMessages& messages) const {
  if (event.codec != nullptr && event.codec == request_direct_ && event.has_message && !request_is_slice_) {
    if (shape_.request->parse(messages.request.object, event.payload)) return {};
    return {StatusCode::invalid_argument, describe(*method_) + "request of " + std::to_string(event.payload.size()) +
                                              " bytes does not parse as " + shape_.request_name};
  }
  return decode_slow(event, messages);
}

Status LoopMethod::decode_slow(const session::Event& event, CallMessages& messages) const {
  if (event.codec == nullptr && response_default_ == nullptr && shape_.response->kind != MessageKind::none) {
    return {StatusCode::unimplemented, describe(*method_) + "the request has no codec, and " + shape_.response_name +
                                           " has no default codec for the response"};
  }
  if (request_is_slice_) {
    *static_cast<Slice*>(messages.request.object) = event.has_message ? event.payload_slice() : Slice();
    return {};
  }
  const MessageType& type = *shape_.request;
  if (type.kind == MessageKind::none) return {};
  if (event.codec == nullptr) {
    // A message without a codec is taken if it is empty; a request of bytes may also have no message.
    if ((event.has_message || type.kind == MessageKind::bytes) && event.payload.empty() && type.clear != nullptr) {
      type.clear(messages.request.object);
      return {};
    }
    return {StatusCode::unimplemented, describe(*method_) + "request has no message, expected " + shape_.request_name};
  }
  if (!event.codec->supports(type)) {
    return {StatusCode::unimplemented,
            describe(*method_) + "codec " + std::string(event.codec->name()) + " cannot decode " + shape_.request_name};
  }
  Status status = event.codec->decode(event.payload_slice(), messages.request);
  if (status.is_ok()) return status;
  const bool is_over_limit = status.code() == StatusCode::resource_exhausted;
  return {is_over_limit ? StatusCode::resource_exhausted : StatusCode::invalid_argument,
          describe(*method_) + std::string(status.message())};
}

session::OutgoingMessage LoopMethod::outgoing(const CallMessages& messages, const Codec* request_codec) const {
  if (shape_.response->kind == MessageKind::none) return {};
  const Codec* codec = request_codec != nullptr ? request_codec : response_default_;
  if (response_is_slice_) return {.codec = codec, .payload = *static_cast<const Slice*>(messages.response.object)};
  // The codec of the request may not know the type of the response.
  if (codec != response_default_ && response_default_ != nullptr && !codec->supports(*shape_.response)) {
    codec = response_default_;
  }
  return {.codec = codec, .message = {messages.response.type, messages.response.object}};
}

}  // namespace trunkline::server
