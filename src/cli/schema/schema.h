// SPDX-License-Identifier: MIT
// Schema: the services and messages that a command knows, from the server or from files.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor_database.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::cli::schema {

/// A source of definitions, which are requested when they are needed.
class SchemaSource : public google::protobuf::DescriptorDatabase {
 public:
  /// Full names, sorted. Throws Failure.
  virtual std::vector<std::string> services() = 0;
  /// No definition will be needed for some time: releases what is held open.
  virtual void rest() {}
  /// The name of the source for messages: "tcp://127.0.0.1:8888", "echo.proto".
  virtual std::string name() const = 0;
};

/// One method, with the properties that a descriptor of plain types has in options.
struct MethodFacts {
  const google::protobuf::MethodDescriptor* descriptor = nullptr;
  /// Its name on the wire.
  std::string path;
  /// "protobuf", or "json" or "msgpack" if its messages are not protobuf messages.
  std::string codec;
};

class Schema {
 public:
  explicit Schema(std::unique_ptr<SchemaSource> source);
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema();

  std::vector<std::string> services() { return source_->services(); }
  void rest() { source_->rest(); }
  std::string name() const { return source_->name(); }
  const google::protobuf::DescriptorPool& pool() const noexcept { return pool_; }

  /// Null if there is none. Throws Failure if its definition is broken.
  const google::protobuf::ServiceDescriptor* find_service(const std::string& name) const;
  /// Finds a method by "Service/Method", "Service.Method" or the name on the wire. Throws Failure with similar names if
  /// there is none.
  MethodFacts find_method(std::string_view name);
  /// The same; the descriptor is null if there is none.
  MethodFacts look_for_method(std::string_view name);
  /// Throws Failure: there is no such `noun` ("method"). Lists similar names.
  [[noreturn]] void refuse(std::string_view noun, std::string_view name);

 private:
  class BuildErrors;

  static MethodFacts look_for_path(const google::protobuf::ServiceDescriptor* service, std::string_view path);
  std::vector<std::string> paths_of(const std::string& service) const;

  std::unique_ptr<SchemaSource> source_;
  std::unique_ptr<BuildErrors> errors_;
  google::protobuf::DescriptorPool pool_;
};

MethodFacts facts_of(const google::protobuf::MethodDescriptor& method);
/// The codec for the messages of the method: `typed` (--codec) if it is given, otherwise protobuf, or JSON for a method
/// without protobuf messages. Throws Failure if the method does not accept protobuf.
std::string codec_for(const MethodFacts& method, const std::string& typed);

/// protoc stores a JSON name for every field; this drops those that equal the default, so that they are not shown.
void drop_usual_json_names(google::protobuf::FileDescriptorProto& file);

}  // namespace trunkline::cli::schema
