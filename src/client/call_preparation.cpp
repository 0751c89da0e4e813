// SPDX-License-Identifier: MIT
// CallPreparation: finds methods, deadlines, codecs and interceptors of calls that begin.
#include "client/call_preparation.h"

#include "balance/key_hash.h"
#include "call/call_deadline.h"
#include "call/inherited_deadline.h"
#include "call/message_coding.h"

#include <trunkline/detail/call_operation.h>
#include <trunkline/server_context.h>

#include <cstring>
#include <utility>

namespace trunkline::client {

CallPreparation::CallPreparation(net::Loop& loop, const ChannelOptions& options)
    : loop_(loop),
      options_(options),
      interceptors_(options.interceptors, &options.log, true),
      default_compressor_(options.compressors.find(options.compressor)) {}

const MethodEntry* CallPreparation::entry_of(const Method& method, std::unique_ptr<MethodEntry>& own) {
  if (const MethodEntry* const entry = methods_.find(method)) return entry;
  own = std::make_unique<MethodEntry>();
  own->name = method.name();
  return own.get();
}

balance::CallHints CallPreparation::hints_of(const CallOptions& options) noexcept {
  if (options.routing_key.empty()) return {};
  return {.key = balance::hash_of_key(options.routing_key), .has_key = true};
}

base::TimePoint CallPreparation::now() const { return loop_.is_current() ? loop_.now() : base::Clock::now(); }

base::TimePoint CallPreparation::deadline_of(const CallOptions& options, base::TimePoint& started) const {
  const base::TimePoint inherited =
      options.parent != nullptr ? options.parent->deadline() : call::InheritedDeadline::current();
  if (!options.timeout && !options.deadline && !options_.default_timeout && inherited == base::never) {
    return base::never;
  }
  // The loop reads its clock once per turn. A handler may have run for a long time since then.
  if (loop_.is_current() && (options.timeout || options_.default_timeout)) loop_.refresh_now();
  started = now();
  return call::call_deadline(options.timeout, options.deadline, options_.default_timeout, inherited, started);
}

Status CallPreparation::choose_coding(const CallOptions& options, MessageView request, const Codec*& codec,
                                      const Compressor*& compressor) const {
  codec = nullptr;
  if (request.type != nullptr) {
    Result<const Codec*> chosen = call::choose_codec(options_.codecs, options.codec, *request.type);
    if (!chosen) return std::move(chosen).status();
    codec = *chosen;
  } else if (!options.codec.empty() && options_.codecs.find(options.codec) == nullptr) {
    return {StatusCode::invalid_argument,
            "encode message: codec '" + std::string(options.codec) + "' is not in the registry of this side"};
  }
  if (options.compressor.empty()) {
    compressor = default_compressor_;
    return {};
  }
  Result<const Compressor*> chosen = call::choose_compressor(options_.compressors, options.compressor);
  if (!chosen) return std::move(chosen).status();
  compressor = *chosen;
  return {};
}

Status CallPreparation::intercept(Interception& interception, const MethodEntry& method, base::TimePoint& deadline,
                                  base::TimePoint& started, Metadata& metadata) const {
  if (interceptors_.empty()) return {};
  if (started == base::TimePoint{}) started = now();
  return interception.start(interceptors_, method.name, started, deadline, metadata);
}

const CallPreparation::Coding* CallPreparation::look_up_coding(const MessageType* type, std::string_view codec_name) {
  if (type == nullptr) return nullptr;
  const Result<const Codec*> codec = call::choose_codec(options_.codecs, codec_name, *type);
  if (!codec) return nullptr;
  known_codec_name_ = codec_name;
  known_type_ = type;
  known_coding_ = {*codec, *codec == nullptr || call::is_direct(**codec, *type), {}};
  if (*codec != nullptr && known_coding_.is_direct) {
    MessageType& held = known_coding_.held_type;
    held = {.kind = MessageKind::bytes, .type = &typeid(detail::HeldRequest), .direct_codec = (*codec)->name()};
    held.size = [](const void* object) { return static_cast<const detail::HeldRequest*>(object)->bytes().size(); };
    held.write = [](const void* object, std::byte* out) {
      const ByteSpan bytes = static_cast<const detail::HeldRequest*>(object)->bytes();
      if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    };
  }
  return &known_coding_;
}

}  // namespace trunkline::client
