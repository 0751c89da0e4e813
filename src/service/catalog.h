// SPDX-License-Identifier: MIT
// Catalog: descriptors of all that a server offers at one time.
#pragma once

#include "service/comments.h"
#include "service/derived_file.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::service {

/// Constant once made. Every file in it has been accepted by protobuf.
class Catalog {
 public:
  explicit Catalog(std::vector<MethodInfo> methods);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  /// Full names, sorted.
  const std::vector<std::string>& services() const noexcept { return services_; }
  /// What the methods refer to, what describes them, and what the process has registered.
  const google::protobuf::DescriptorPool& pool() const noexcept { return pool_; }
  /// A file of the pool, with the comments that are known of it.
  google::protobuf::FileDescriptorProto described(const google::protobuf::FileDescriptor& file) const;

 private:
  using Methods = std::vector<const MethodInfo*>;

  void add_service(const std::string& name, Methods methods);
  /// Each of the three: false if it is not for this service. Takes those methods out that it tells of.
  bool add_own(const std::string& name, Methods& methods);
  bool add_defined(const std::string& name, Methods& methods);
  bool add_derived(const std::string& name, Methods& methods);
  bool derive(const std::string& name, const Methods& methods, Detail detail);
  /// Takes over the files of types that come from other pools.
  void adopt_types(const Methods& methods);
  void adopt(const google::protobuf::FileDescriptor& file);
  bool build(const google::protobuf::FileDescriptorProto& file);
  void comment(const google::protobuf::ServiceDescriptor& service, const MethodInfo& info);

  const std::vector<MethodInfo> methods_;
  google::protobuf::DescriptorPool pool_{google::protobuf::DescriptorPool::generated_pool()};
  DerivedTypes types_;
  // Texts by path, of files that come without: compiled descriptors have no comments.
  std::map<const google::protobuf::FileDescriptor*, std::map<CommentPath, std::string>> comments_;
  std::vector<std::string> services_;
  Methods left_;  // that no service of their own tells of
};

}  // namespace trunkline::service
