// SPDX-License-Identifier: MIT
// The message type of Payload and its codecs.
#include "payload.h"

#include <pthread.h>

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace trunkline {

const MessageType& MessageTraits<python::Payload>::type() { return python::payload_type("bytes"); }

const MessageType& MessageTraits<python::RequiredPayload>::type() {
  static const MessageType required = [] {
    MessageType type = python::payload_type("bytes");
    type.may_be_missing = false;
    return type;
  }();
  return required;
}

namespace python {

namespace {

struct CodecName {
  explicit CodecName(std::string_view name) : text(name) {
    type.kind = MessageKind::bytes;
    type.may_be_missing = true;
    type.type = &typeid(Payload);
    type.default_codec = text;
    type.clear = [](void* object) { *static_cast<Payload*>(object) = {}; };
  }
  CodecName(const CodecName&) = delete;
  CodecName& operator=(const CodecName&) = delete;

  std::string text;
  MessageType type;
};

/// Names of codecs, which are never removed: messages hold views of them.
class CodecNames {
 public:
  const std::array<CodecName, 4>& built_in() const noexcept { return built_in_; }
  const CodecName& bytes() const noexcept { return built_in_.back(); }
  /// Finds built-in names without a lock.
  const CodecName* find(std::string_view name) {
    for (const CodecName& known : built_in_) {
      if (known.text == name) return &known;
    }
    const std::lock_guard lock(mutex_);
    return find_other(name);
  }
  std::string listed() {
    std::string result;
    const auto list = [&result](const CodecName& name) { result += (result.empty() ? "" : ", ") + name.text; };
    for (const CodecName& known : built_in_) list(known);
    const std::lock_guard lock(mutex_);
    for (const CodecName& known : others_) list(known);
    return result;
  }
  /// Locks the mutex around fork(), so that it is free in the child.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  const CodecName& add(std::string_view name) {
    if (const CodecName* const found = find(name)) return *found;
    const std::lock_guard lock(mutex_);
    const CodecName* const found = find_other(name);
    return found != nullptr ? *found : others_.emplace_back(name);
  }

 private:
  const CodecName* find_other(std::string_view name) const noexcept {
    for (const CodecName& known : others_) {
      if (known.text == name) return &known;
    }
    return nullptr;
  }

  const std::array<CodecName, 4> built_in_{CodecName("protobuf"), CodecName("json"), CodecName("msgpack"),
                                           CodecName("bytes")};
  std::mutex mutex_;  // guards the names of the application
  std::list<CodecName> others_;
};

// The names are never destroyed, as threads may look names up while static objects are destroyed.
CodecNames& codec_names() {
  static auto* const names = new CodecNames;
  return *names;
}

class PassThroughCodec final : public Codec {
 public:
  explicit PassThroughCodec(std::string_view name) noexcept : name_(name) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(const MessageType& type) const noexcept override { return *type.type == typeid(Payload); }
  Status encode(MessageView message, BufferWriter& out) const override {
    out.append(message.as<Payload>()->bytes);
    return {};
  }
  Status decode(const Slice& payload, MutableMessageView message) const override {
    *message.as<Payload>() = {payload, name_};
    return {};
  }

 private:
  std::string_view name_;
};

}  // namespace

void watch_forks_of_codec_names() {
  const auto unlock = [] { codec_names().unlock(); };
  static const int once = pthread_atfork([] { codec_names().lock(); }, unlock, unlock);
  static_cast<void>(once);
}

const MessageType& payload_type(std::string_view codec) {
  const CodecName* const found = codec_names().find(codec);
  return (found != nullptr ? *found : codec_names().bytes()).type;
}

std::shared_ptr<const Codec> pass_through_codec(std::string_view name) {
  return std::make_shared<PassThroughCodec>(codec_names().add(name).text);
}

CodecRegistry pass_through_codecs() {
  CodecRegistry registry;
  for (const CodecName& name : codec_names().built_in()) registry.add(pass_through_codec(name.text));
  return registry;
}

std::string_view codec_name(std::string_view name) {
  if (const CodecName* const found = codec_names().find(name)) return found->text;
  throw std::invalid_argument("codec '" + std::string(name) + "' is none of " + codec_names().listed());
}

}  // namespace python

}  // namespace trunkline
