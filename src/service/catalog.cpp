// SPDX-License-Identifier: MIT
// Catalog: finds the descriptor of a service in our own definitions, in that of its messages, or in its types.
#include "service/catalog.h"

#include "service/descriptor_names.h"
#include "trunkline/v1/health.pb.h"
#include "trunkline/v1/reflection.pb.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace trunkline::service {

namespace protobuf = google::protobuf;

namespace {

/// The service that gathers the methods which no other service describes.
constexpr std::string_view gathered_service = "trunkline.Methods";

/// A definition of ours, and the names of service and file under which it is served.
struct OwnService {
  std::string_view service;
  std::string_view file;
  const protobuf::FileDescriptor* definition;
};

const std::array<OwnService, 3>& own_services() {
  static const std::array<OwnService, 3> all{{
      {"grpc.health.v1.Health", "grpc/health/v1/health.proto", v1::HealthCheckRequest::descriptor()->file()},
      {"grpc.reflection.v1.ServerReflection", "grpc/reflection/v1/reflection.proto",
       v1::ServerReflectionRequest::descriptor()->file()},
      {"grpc.reflection.v1alpha.ServerReflection", "grpc/reflection/v1alpha/reflection.proto",
       v1::ServerReflectionRequest::descriptor()->file()},
  }};
  return all;
}

/// Ignores errors, which protobuf would print: descriptors that do not fit are left out.
class IgnoreErrors final : public protobuf::DescriptorPool::ErrorCollector {
  void AddError(const std::string&, const std::string&, const protobuf::Message*, ErrorLocation,
                const std::string&) override {}
};

const protobuf::Descriptor* descriptor_of(const MessageType* type) {
  if (type == nullptr || type->descriptor == nullptr) return nullptr;
  return static_cast<const protobuf::Descriptor*>(type->descriptor());
}

bool fits(const MessageType* type, const protobuf::Descriptor& defined) {
  const protobuf::Descriptor* descriptor = descriptor_of(type);
  return descriptor == nullptr || descriptor->full_name() == defined.full_name();
}

bool fits(const MethodInfo& info, const protobuf::MethodDescriptor* defined) {
  if (defined == nullptr) return false;
  const bool client_streams = info.kind == MethodKind::client_stream || info.kind == MethodKind::bidirectional;
  const bool server_streams = info.kind == MethodKind::server_stream || info.kind == MethodKind::bidirectional;
  return defined->client_streaming() == client_streams && defined->server_streaming() == server_streams &&
         fits(info.request, *defined->input_type()) && fits(info.response, *defined->output_type());
}

void rename(std::string& type, const std::string& from, const std::string& to) {
  if (type.starts_with(from)) type.replace(0, from.size(), to);
}

/// Moves a file to another package, with all names that refer to its own.
void rename_package(protobuf::FileDescriptorProto& file, const std::string& package) {
  const std::string from = "." + file.package() + ".";
  const std::string to = "." + package + ".";
  for (protobuf::DescriptorProto& message : *file.mutable_message_type()) {
    for (protobuf::FieldDescriptorProto& field : *message.mutable_field()) {
      if (field.has_type_name()) rename(*field.mutable_type_name(), from, to);
    }
  }
  for (protobuf::ServiceDescriptorProto& service : *file.mutable_service()) {
    for (protobuf::MethodDescriptorProto& method : *service.mutable_method()) {
      rename(*method.mutable_input_type(), from, to);
      rename(*method.mutable_output_type(), from, to);
    }
  }
  file.set_package(package);
}

}  // namespace

Catalog::Catalog(std::vector<MethodInfo> methods) : methods_(std::move(methods)) {
  std::map<std::string, Methods, std::less<>> by_service;
  for (const MethodInfo& info : methods_) {
    const std::string_view service = split_path(info.name).service;
    if (service.empty()) {
      undescribed_.push_back(&info);
    } else {
      by_service[std::string(service)].push_back(&info);
    }
  }
  // The deepest packages come first: a service "shop" must not prevent the package of "shop.Orders".
  std::vector<std::string> names;
  for (const auto& [name, of_service] : by_service) names.push_back(name);
  const auto depth = [](const std::string& name) { return std::count(name.begin(), name.end(), '.'); };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return depth(a) > depth(b); });
  for (const std::string& name : names) add_service(name, std::move(by_service[name]));
  if (!undescribed_.empty()) {
    const std::string name(gathered_service);
    import_types(undescribed_);
    if (derive(name, undescribed_, Detail::full) || derive(name, undescribed_, Detail::none)) services_.push_back(name);
  }
  std::sort(services_.begin(), services_.end());
}

void Catalog::add_service(const std::string& name, Methods methods) {
  import_types(methods);
  const bool is_described = add_own(name, methods) || add_defined(name, methods) || add_derived(name, methods);
  if (is_described) services_.push_back(name);
  undescribed_.insert(undescribed_.end(), methods.begin(), methods.end());
}

bool Catalog::add_own(const std::string& name, Methods& methods) {
  const auto& all = own_services();
  const auto own = std::find_if(all.begin(), all.end(), [&](const OwnService& one) { return one.service == name; });
  const auto is_ours = [&](const MethodInfo* info) {
    const protobuf::Descriptor* request = descriptor_of(info->request);
    return request != nullptr && request->file() == own->definition;
  };
  if (own == all.end() || !std::all_of(methods.begin(), methods.end(), is_ours)) return false;
  // The process may have registered gRPC's own definition, which is the same.
  if (pool_.FindServiceByName(name) == nullptr) {
    protobuf::FileDescriptorProto file;
    own->definition->CopyTo(&file);
    file.set_name(std::string(own->file));
    rename_package(file, std::string(package_of(name)));
    if (!build(file)) return false;
  }
  for (const MethodInfo* info : methods) keep_comments(*pool_.FindServiceByName(name), *info);
  methods.clear();
  return true;
}

bool Catalog::add_defined(const std::string& name, Methods& methods) {
  const protobuf::ServiceDescriptor* service = pool_.FindServiceByName(name);
  if (service == nullptr) return false;
  const auto fitting = std::stable_partition(methods.begin(), methods.end(), [&](const MethodInfo* info) {
    return !fits(*info, service->FindMethodByName(std::string(split_path(info->name).method)));
  });
  const bool any = fitting != methods.end();
  for (auto method = fitting; method != methods.end(); ++method) keep_comments(*service, **method);
  methods.erase(fitting, methods.end());
  return any;
}

bool Catalog::add_derived(const std::string& name, Methods& methods) {
  if (name == gathered_service || pool_.FindFileContainingSymbol(name) != nullptr) return false;
  if (!derive(name, methods, Detail::full) && !derive(name, methods, Detail::none)) return false;
  methods.clear();
  return true;
}

bool Catalog::derive(const std::string& name, const Methods& methods, Detail detail) {
  DerivedTypes types = types_;
  DerivedFile derived(name, detail, pool_, types);
  for (const MethodInfo* info : methods) {
    if (name == gathered_service) {
      derived.add_method(info->name, *info);
    } else {
      derived.add_method(split_path(info->name).method, *info);
      derived.describe(info->service_description);
    }
  }
  if (!build(derived.file())) return false;
  types_ = std::move(types);
  return true;
}

void Catalog::import_types(const Methods& methods) {
  for (const MethodInfo* info : methods) {
    for (const MessageType* type : {info->request, info->response}) {
      if (const protobuf::Descriptor* descriptor = descriptor_of(type)) import(*descriptor->file());
    }
  }
}

void Catalog::import(const protobuf::FileDescriptor& file) {
  if (pool_.FindFileByName(file.name()) != nullptr) return;
  for (int i = 0; i < file.dependency_count(); ++i) import(*file.dependency(i));
  protobuf::FileDescriptorProto copy;
  file.CopyTo(&copy);
  file.CopySourceCodeInfoTo(&copy);
  static_cast<void>(build(copy));
}

bool Catalog::build(const protobuf::FileDescriptorProto& file) {
  IgnoreErrors errors;
  return pool_.BuildFileCollectingErrors(file, &errors) != nullptr;
}

void Catalog::keep_comments(const protobuf::ServiceDescriptor& service, const MethodInfo& info) {
  std::map<CommentPath, std::string>& comments = comments_[service.file()];
  std::string& of_service = comments[path_of_service(service.index())];
  if (of_service.empty()) of_service = info.service_description;
  const protobuf::MethodDescriptor* method = service.FindMethodByName(std::string(split_path(info.name).method));
  if (method != nullptr) comments[path_of_method(service.index(), method->index())] = info.description;
}

protobuf::FileDescriptorProto Catalog::with_comments(const protobuf::FileDescriptor& file) const {
  protobuf::FileDescriptorProto text;
  file.CopyTo(&text);
  file.CopySourceCodeInfoTo(&text);
  const auto known = comments_.find(&file);
  if (known == comments_.end()) return text;
  for (const auto& [path, comment] : known->second) add_comment(*text.mutable_source_code_info(), path, comment);
  return text;
}

}  // namespace trunkline::service
