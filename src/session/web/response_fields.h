// SPDX-License-Identifier: MIT
// ResponseFields: the fields of a response over Connect or gRPC-Web, one by one, at a client.
#pragma once

#include "session/session_options.h"
#include "session/web/client_protocol.h"
#include "session/web/message_encodings.h"
#include "session/web/metadata_reader.h"
#include "session/web/response_facts.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::session::web {

/// Reads the fields of HTTP/1.1; grpc::ResponseReader reads those of HTTP/2. The object is reused for every response.
class ResponseFields {
 public:
  /// All references outlive the object.
  ResponseFields(const SessionOptions& options, const MessageEncodings& encodings, ClientProtocol protocol);

  /// The fields of another response follow.
  void begin(std::uint32_t http_status);
  /// Takes one field. `name` is in lower case.
  void add(std::string_view name, std::string_view value);
  /// All fields have been added.
  void finish();

  // The following are valid after finish().

  const ResponseFacts& facts() const noexcept { return facts_; }
  /// Returns what is no field of the protocol. The caller may move from it.
  Metadata& metadata() noexcept { return metadata_; }
  /// Returns why the call ends, because a field is wrong or the metadata exceeds its limit, or ok.
  const Status& refusal() const noexcept { return refusal_; }
  /// Returns the status that the fields say. Needs facts().has_status.
  const Status& status() const noexcept { return status_; }
  /// Returns, for errors, a content-type that is not the protocol's, or whose codec is not known.
  const std::string& other_content_type() const noexcept { return content_type_; }

 private:
  bool take(std::string_view name, std::string_view value);
  bool take_of_connect(std::string_view name, std::string_view value);
  bool take_of_grpc_web(std::string_view name, std::string_view value);
  const Compressor* compressor_of(std::string_view name);

  const SessionOptions& options_;
  const MessageEncodings& encodings_;
  const ClientProtocol protocol_;
  ResponseFacts facts_;
  Metadata metadata_;
  MetadataReader reader_;
  Status refusal_;
  Status status_;
  std::string content_type_;
  std::string code_;
  BufferWriter message_;
  BufferWriter details_;
};

}  // namespace trunkline::session::web
