// SPDX-License-Identifier: MIT
// Schema: the services and messages a command knows of, from the server or from files.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor_database.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::cli {

/// Where definitions come from. Asked for what is needed, when it is.
class SchemaSource : public google::protobuf::DescriptorDatabase {
 public:
  /// Full names, sorted. Throws Failure.
  virtual std::vector<std::string> services() = 0;
  /// Nothing will be asked for some time: lets go of what is held open.
  virtual void rest() {}
  /// What the source is, for messages: "tcp://127.0.0.1:8888", "echo.proto".
  virtual std::string name() const = 0;
};

/// One method, with what descriptors of plain types say beside it.
struct MethodFacts {
  const google::protobuf::MethodDescriptor* descriptor = nullptr;
  /// Its name on the wire.
  std::string path;
  /// "protobuf", or "json" or "msgpack" where its messages are not protobuf's.
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

  /// Null if there is none. Throws Failure if there is one whose definition is broken.
  const google::protobuf::ServiceDescriptor* find_service(const std::string& name) const;
  /// By "Service/Method", "Service.Method" or the name on the wire. Throws Failure, with the names that are near.
  MethodFacts find_method(std::string_view name);
  /// The same; the descriptor is null where there is none.
  MethodFacts look_for_method(std::string_view name);
  /// Throws Failure: there is no such `noun` ("method"), with the names that are near.
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
/// How its messages are sent: as `typed` (--codec) says; else in protobuf, or in JSON, which all other methods take.
/// Throws Failure if it does not take protobuf.
std::string codec_for(const MethodFacts& method, const std::string& typed);

/// protoc names every field for JSON; those it would have had anyway are dropped, so that they are not shown.
void drop_usual_json_names(google::protobuf::FileDescriptorProto& file);

}  // namespace trunkline::cli
