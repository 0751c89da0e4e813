// SPDX-License-Identifier: MIT
// ProtobufAny: a google.protobuf.Any by reflection, in whatever pool its type is.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>

namespace trunkline::codec {

/// An Any, which refers to the message.
class ProtobufAny {
 public:
  explicit ProtobufAny(const google::protobuf::Message& message);

  const std::string& type_url() const noexcept { return *type_url_; }
  const std::string& value() const noexcept { return *value_; }
  /// Returns an empty message of the type that the URL names; null if the pool of the Any does not have it.
  std::unique_ptr<google::protobuf::Message> make_content(const std::string& type_url) const;

  static void set(google::protobuf::Message& any, std::string type_url, std::string value);

 private:
  const google::protobuf::Message& message_;
  std::string scratch_[2];
  const std::string* type_url_;
  const std::string* value_;
};

/// Returns true for types whose JSON is not an object of their fields. In an Any it is the member "value".
bool has_json_of_its_own(const google::protobuf::Descriptor& type);

}  // namespace trunkline::codec
