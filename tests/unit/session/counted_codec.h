// SPDX-License-Identifier: MIT
// CountedCodec: a codec that counts how often a writer asks for its name, for tests.
#pragma once

#include <trunkline/codec.h>

#include <string>
#include <string_view>
#include <utility>

namespace trunkline::session {

/// A writer that copies what it has written before does not ask for the name again.
class CountedCodec final : public Codec {
 public:
  explicit CountedCodec(std::string name = "counted") : name_(std::move(name)) {}

  std::string_view name() const noexcept override {
    ++asked_;
    return name_;
  }
  bool supports(const MessageType&) const noexcept override { return false; }
  Status encode(MessageView, BufferWriter&) const override { return {StatusCode::internal, "encode"}; }
  Status decode(const Slice&, MutableMessageView) const override { return {StatusCode::internal, "decode"}; }

  /// Returns true if the name has been asked for since the last call.
  bool take_asked() noexcept { return std::exchange(asked_, 0) > 0; }

 private:
  const std::string name_;
  mutable int asked_ = 0;
};

}  // namespace trunkline::session
