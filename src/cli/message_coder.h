// SPDX-License-Identifier: MIT
// MessageCoder: the messages of one method, from JSON and to JSON.
#pragma once

#include "cli/json_layout.h"
#include "cli/json_sequence.h"
#include "cli/payload.h"
#include "cli/schema.h"

#include <google/protobuf/util/type_resolver.h>
#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace trunkline::cli {

struct CoderOptions {
  /// Of requests: "protobuf" (needs a description, unless they are `sent_as_is`), "json", "msgpack" or "bytes".
  std::string codec;
  /// Requests are not JSON, but what the codec makes.
  bool sent_as_is = false;
  JsonLayout layout = JsonLayout::compact;
  /// Fields with default values are shown as well.
  bool shows_defaults = false;
};

class MessageCoder {
 public:
  /// Without a description both are null.
  MessageCoder(const google::protobuf::Descriptor* request, const google::protobuf::Descriptor* response,
               CoderOptions options);

  /// Error: invalid_argument that says where and why.
  Result<Payload> encode(const JsonText& json) const;
  /// As its codec says, whichever the request's was. Errors: internal (what the server sent is not what it says),
  /// failed_precondition (protobuf without a description).
  Result<std::string> decode(const Payload& payload) const;

 private:
  Result<Payload> encode_protobuf(const JsonText& json) const;
  Result<std::string> decode_protobuf(const Payload& payload) const;

  const google::protobuf::Descriptor* request_;
  const google::protobuf::Descriptor* response_;
  CoderOptions options_;
  CodecRegistry codecs_;
  std::unique_ptr<google::protobuf::util::TypeResolver> resolver_;
};

}  // namespace trunkline::cli
