// SPDX-License-Identifier: MIT
// MessageCoder: converts the messages of one method from JSON and to JSON.
#pragma once

#include "cli/json/json_layout.h"
#include "cli/json/json_sequence.h"
#include "cli/schema/packed_message.h"
#include "cli/schema/schema.h"

#include <google/protobuf/dynamic_message.h>

#include <memory>
#include <string>
#include <string_view>

namespace trunkline::cli::schema {

struct CoderOptions {
  /// The codec of the requests: "protobuf" (requires a descriptor, unless they are `sent_as_is`) or another built-in
  /// codec.
  std::string codec;
  /// True if the requests are not JSON but already encoded by the codec.
  bool sent_as_is = false;
  json::JsonLayout layout = json::JsonLayout::compact;
  /// True if responses show fields with default values too.
  bool shows_defaults = false;
};

class MessageCoder {
 public:
  /// Both descriptors are null if the definition of the method is unknown.
  MessageCoder(const google::protobuf::Descriptor* request, const google::protobuf::Descriptor* response,
               CoderOptions options);

  /// Encodes a request. Error: invalid_argument with the place and the reason.
  Result<PackedMessage> encode(const json::JsonText& json) const;
  /// Decodes the payload by its own codec, whichever the request used. Errors: internal (the bytes are not what the
  /// server claims), failed_precondition (protobuf without a descriptor).
  Result<std::string> decode(const PackedMessage& payload) const;

 private:
  Result<PackedMessage> encode_protobuf(const json::JsonText& json) const;
  Result<std::string> decode_protobuf(const PackedMessage& payload) const;

  const google::protobuf::Descriptor* request_;
  const google::protobuf::Descriptor* response_;
  CoderOptions options_;
  CodecRegistry codecs_;
  /// Makes messages of the types of both descriptors.
  std::unique_ptr<google::protobuf::DynamicMessageFactory> messages_;
};

}  // namespace trunkline::cli::schema
