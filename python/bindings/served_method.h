// SPDX-License-Identifier: MIT
// ServedMethod: a method that Python has registered, with its entry.
#pragma once

#include "references.h"

#include <trunkline/message.h>
#include <trunkline/method_info.h>
#include <trunkline/slice.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::python {

/// A method that Python has registered. It is immutable except for its statistics, and its calls share it.
///
/// For a unary method, a worker calls `entry` with (request bytes, codec, call or None), which returns the response
/// bytes. For a stream it calls `entry` with (call).
class ServedMethod {
 public:
  /// With `needs_call` the entry gets the call. `response_codec`, a name of codec_name(), is the codec of responses to
  /// requests that had no message, and so no codec. With `exposes_exception_text` callers get the text of exceptions.
  /// `is_built_in`: it belongs to a service of the library; if it is a stream, it waits for most of the time.
  ServedMethod(std::string name, MethodKind kind, const py::handle& entry, bool needs_call,
               std::string_view response_codec, bool exposes_exception_text, bool is_built_in)
      : name_(std::move(name)),
        kind_(kind),
        entry_(entry),
        needs_call_(needs_call),
        exposes_exception_text_(exposes_exception_text),
        is_built_in_(is_built_in),
        response_type_(MessageTraits<Slice>::type()) {
    response_type_.default_codec = response_codec;
  }

  const std::string& name() const noexcept { return name_; }
  MethodKind kind() const noexcept { return kind_; }
  PyObject* entry() const noexcept { return entry_.get(); }
  bool needs_call() const noexcept { return needs_call_; }
  bool exposes_exception_text() const noexcept { return exposes_exception_text_; }
  bool is_built_in() const noexcept { return is_built_in_; }
  const MessageType& response_type() const noexcept { return response_type_; }
  /// Returns true if its handlers have been slow lately.
  bool is_slow() const noexcept { return slow_.load(std::memory_order_relaxed) > 0; }
  /// Records the time that a handler took.
  void took(std::chrono::nanoseconds duration) const noexcept;

 private:
  std::string name_;
  MethodKind kind_;
  Reference entry_;
  bool needs_call_;
  bool exposes_exception_text_;
  bool is_built_in_;
  MessageType response_type_;
  mutable std::atomic<int> slow_{0};
};

}  // namespace trunkline::python
