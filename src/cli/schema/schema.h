// SPDX-License-Identifier: MIT
// Schema: finds the services and messages that a command knows, from the server or from files.
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
  /// Returns full names, sorted. Throws Failure.
  virtual std::vector<std::string> services() = 0;
  /// Releases the resources of the source, e.g. an open stream. A later request acquires them again.
  virtual void release() {}
  /// Returns the name of the source in error texts: "tcp://127.0.0.1:8888", "echo.proto".
  virtual std::string name() const = 0;
};

/// One method. Descriptors of methods without protobuf messages carry its path and codec in options.
struct SchemaMethod {
  const google::protobuf::MethodDescriptor* descriptor = nullptr;
  /// The name of the method on the wire.
  std::string path;
  /// The codec: "protobuf", or "json" or "msgpack" if the method's messages are not protobuf messages.
  std::string codec;
};

class BoundedSource;

class Schema {
 public:
  explicit Schema(std::unique_ptr<SchemaSource> source);
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema();

  std::vector<std::string> services() { return source_->services(); }
  void release() { source_->release(); }
  std::string name() const { return source_->name(); }
  const google::protobuf::DescriptorPool& pool() const noexcept { return pool_; }

  /// Returns the service, or null. Throws Failure if its definition is broken or exceeds the limits of BoundedSource.
  const google::protobuf::ServiceDescriptor* find_service(const std::string& name) const;
  /// Finds a method by "Service/Method", "Service.Method" or the name on the wire. Throws Failure with similar names if
  /// there is none.
  SchemaMethod find_method(std::string_view name);
  /// Finds a method as find_method() does, but returns a null descriptor if there is none.
  SchemaMethod try_find_method(std::string_view name);
  /// Throws the Failure for an unknown name, with similar names. `noun` is what it should name, e.g. "method".
  [[noreturn]] void refuse(std::string_view noun, std::string_view name);

 private:
  class BuildErrors;

  static SchemaMethod try_find_path(const google::protobuf::ServiceDescriptor* service, std::string_view path);
  std::vector<std::string> paths_of(const std::string& service) const;

  std::unique_ptr<SchemaSource> source_;
  std::unique_ptr<BoundedSource> bounds_;
  std::unique_ptr<BuildErrors> errors_;
  google::protobuf::DescriptorPool pool_;
};

SchemaMethod info_of(const google::protobuf::MethodDescriptor& method);
/// Returns the codec for the messages of the method: `requested` (--codec) unless it is empty, otherwise protobuf, or
/// JSON for a method without protobuf messages. Throws Failure if the method does not accept protobuf.
std::string codec_for(const SchemaMethod& method, const std::string& requested);

/// Removes the JSON names that equal the default, so that they are not shown. protoc stores one for every field.
void drop_default_json_names(google::protobuf::FileDescriptorProto& file);

}  // namespace trunkline::cli::schema
