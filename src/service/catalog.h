// SPDX-License-Identifier: MIT
// Catalog: holds the descriptors of all services that a server offers at one time.
#pragma once

#include "service/derived_file.h"
#include "service/descriptor_comments.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::service {

/// An immutable catalog, which any thread may use. Protobuf has accepted every file in it.
class Catalog {
 public:
  explicit Catalog(std::vector<MethodInfo> methods);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  /// Returns the full names of the services, sorted.
  const std::vector<std::string>& services() const noexcept { return services_; }
  /// Returns the types of the methods, the services, and what the process has registered with protobuf.
  const google::protobuf::DescriptorPool& pool() const noexcept { return pool_; }
  /// Returns a file of the pool, with its comments.
  google::protobuf::FileDescriptorProto with_comments(const google::protobuf::FileDescriptor& file) const;

 private:
  using Methods = std::vector<const MethodInfo*>;

  void add_service(const std::string& name, Methods methods);
  /// Each of these three tries to describe the service: by a definition of ours, by that of its messages, or by one
  /// derived from its types. It removes from `methods` those that it has described; it returns false if it cannot.
  bool add_own(const std::string& name, Methods& methods);
  bool add_defined(const std::string& name, Methods& methods);
  bool add_derived(const std::string& name, Methods& methods);
  bool derive(const std::string& name, const Methods& methods, Detail detail);
  /// Adds the files of types that belong to other pools.
  void import_types(const Methods& methods);
  void import(const google::protobuf::FileDescriptor& file);
  bool build(const google::protobuf::FileDescriptorProto& file);
  void keep_comments(const google::protobuf::ServiceDescriptor& service, const MethodInfo& info);

  const std::vector<MethodInfo> methods_;
  google::protobuf::DescriptorPool pool_{google::protobuf::DescriptorPool::generated_pool()};
  DerivedTypes types_;
  /// The comments of files whose descriptors have none, because they are compiled in.
  std::map<const google::protobuf::FileDescriptor*, std::map<CommentPath, std::string>> comments_;
  std::vector<std::string> services_;
  /// The methods that no service of their own describes.
  Methods undescribed_;
};

}  // namespace trunkline::service
