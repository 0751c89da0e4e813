// SPDX-License-Identifier: MIT
// Decoding requests, encoding responses and keeping messages of one method on one loop.
#include "server/loop_method.h"

#include <algorithm>
#include <string>

namespace trunkline::server {

namespace {

constexpr std::size_t max_kept_messages = 64;

std::string describe(const Method& method) { return "call " + method.name + ": "; }

}  // namespace

LoopMethod::LoopMethod(std::shared_ptr<Method> method, const CodecRegistry& codecs)
    : method_(std::move(method)), shape_(method_->handler->shape()) {
  const MessageType& request = *shape_.request;
  const MessageType& response = *shape_.response;
  request_direct_ = request.parse != nullptr ? codecs.find(request.direct_codec) : nullptr;
  response_default_ = codecs.find(response.default_codec);
  request_is_slice_ = *request.type == typeid(Slice);
  response_is_slice_ = *response.type == typeid(Slice);
}

std::unique_ptr<CallMessages> LoopMethod::take_messages() {
  if (kept_.empty()) return method_->handler->make_messages();
  std::unique_ptr<CallMessages> messages = std::move(kept_.back());
  kept_.pop_back();
  return messages;
}

void LoopMethod::give_back(std::unique_ptr<CallMessages> messages, std::size_t payload_bytes) noexcept try {
  // Slices would keep what they view alive.
  if (request_is_slice_) *static_cast<Slice*>(messages->request.object) = Slice();
  if (response_is_slice_) *static_cast<Slice*>(messages->response.object) = Slice();
  if (shape_.fills_response && shape_.response->clear != nullptr) shape_.response->clear(messages->response.object);
  if (payload_bytes <= max_kept_bytes && kept_.size() < max_kept_messages) kept_.push_back(std::move(messages));
} catch (...) {
  // Messages that cannot be cleared are not used again.
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
                                           " has no default codec to answer in"};
  }
  if (request_is_slice_) {
    *static_cast<Slice*>(messages.request.object) = event.has_message ? event.payload_slice() : Slice();
    return {};
  }
  const MessageType& type = *shape_.request;
  if (type.kind == MessageKind::none) return {};
  if (event.codec == nullptr) {
    // An empty message without encoding, or none where bytes may be none.
    if ((event.has_message || type.kind == MessageKind::bytes) && event.payload.empty() && type.clear != nullptr) {
      type.clear(messages.request.object);
      return {};
    }
    return {StatusCode::invalid_argument,
            describe(*method_) + "request has no message, expected " + shape_.request_name};
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

session::Outgoing LoopMethod::outgoing(const CallMessages& messages, const Codec* request_codec) const {
  if (shape_.response->kind == MessageKind::none) return {};
  const Codec* codec = request_codec != nullptr ? request_codec : response_default_;
  if (response_is_slice_) return {.codec = codec, .payload = *static_cast<const Slice*>(messages.response.object)};
  // A request may travel in what its response cannot.
  if (codec != response_default_ && response_default_ != nullptr && !codec->supports(*shape_.response)) {
    codec = response_default_;
  }
  return {.codec = codec, .message = {messages.response.type, messages.response.object}};
}

}  // namespace trunkline::server
