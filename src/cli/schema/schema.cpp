// SPDX-License-Identifier: MIT
// Schema: puts a descriptor pool over a source, and accepts several forms of method names.
#include "cli/schema/schema.h"

#include "cli/output/suggestion.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/schema/bounded_source.h"

#include <trunkline/v1/options.pb.h>

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace trunkline::cli::schema {

using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

/// A collector that keeps the first error of a definition.
class Schema::BuildErrors final : public google::protobuf::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const google::protobuf::Message*, ErrorLocation,
                const std::string& text) override {
    if (first_.empty()) first_ = file + ": " + element + ": " + text;
  }
  void AddWarning(const std::string&, const std::string&, const google::protobuf::Message*, ErrorLocation,
                  const std::string&) override {}

  std::string take() { return std::exchange(first_, {}); }

 private:
  std::string first_;
};

namespace {

/// The service under which servers describe methods that belong to no defined service.
constexpr const char* fallback_service = "trunkline.Methods";

struct SplitName {
  std::string service;
  std::string method;
};

/// Splits at the slash, or else at the last dot.
SplitName split(std::string_view name) {
  if (name.starts_with('/')) name.remove_prefix(1);
  std::size_t at = name.rfind('/');
  if (at == std::string_view::npos) at = name.rfind('.');
  if (at == std::string_view::npos) return {{}, std::string(name)};
  return {std::string(name.substr(0, at)), std::string(name.substr(at + 1))};
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t max_listed = 10;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < max_listed; ++i)
    text += (i == 0 ? "" : ", ") + output::escaped(names[i]);
  return names.size() > max_listed ? text + ", ..." : text;
}

/// Returns the JSON name that protoc gives to a field: letters after an underscore become capitals.
std::string default_json_name(const std::string& field) {
  std::string name;
  bool is_next_capital = false;
  for (const char letter : field) {
    if (letter != '_')
      name += is_next_capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
    is_next_capital = letter == '_';
  }
  return name;
}

void drop_usual_names(google::protobuf::DescriptorProto& message) {
  for (auto& field : *message.mutable_field()) {
    if (field.json_name() == default_json_name(field.name())) field.clear_json_name();
  }
  for (auto& nested : *message.mutable_nested_type()) drop_usual_names(nested);
}

std::vector<std::string> method_names(const ServiceDescriptor& service) {
  std::vector<std::string> names;
  for (int i = 0; i < service.method_count(); ++i) names.push_back(service.method(i)->name());
  return names;
}

}  // namespace

void drop_default_json_names(google::protobuf::FileDescriptorProto& file) {
  for (auto& message : *file.mutable_message_type()) drop_usual_names(message);
}

SchemaMethod info_of(const MethodDescriptor& method) {
  SchemaMethod info{&method, method.service()->full_name() + "/" + method.name(), "protobuf"};
  const auto& options = method.options().GetExtension(v1::method);
  if (!options.path().empty()) info.path = options.path();
  if (!options.codec().empty()) info.codec = options.codec();
  return info;
}

std::string codec_for(const SchemaMethod& method, const std::string& requested) {
  const bool takes_protobuf = method.codec == "protobuf";
  if (requested == "protobuf" && !takes_protobuf) {
    throw process::usage_error("method " + method.path + " takes " + method.codec + " and json, not protobuf");
  }
  if (!requested.empty()) return requested;
  return takes_protobuf ? "protobuf" : "json";
}

Schema::Schema(std::unique_ptr<SchemaSource> source)
    : source_(std::move(source)),
      bounds_(std::make_unique<BoundedSource>(*source_, source_->name())),
      errors_(std::make_unique<BuildErrors>()),
      pool_(bounds_.get(), errors_.get()) {}

Schema::~Schema() = default;

const ServiceDescriptor* Schema::find_service(const std::string& name) const {
  const ServiceDescriptor* const service = pool_.FindServiceByName(name);
  const std::string error = errors_->take();
  bounds_->throw_failure();
  if (service == nullptr && !error.empty()) {
    throw process::Failure(process::exit_status::failed,
                           "definition of " + output::escaped(name) + ": " + output::escaped(error));
  }
  return service;
}

/// Returns the method of `service` (may be null) with this name on the wire.
SchemaMethod Schema::try_find_path(const ServiceDescriptor* service, std::string_view path) {
  for (int i = 0; service != nullptr && i < service->method_count(); ++i) {
    SchemaMethod info = info_of(*service->method(i));
    if (info.path == path) return info;
  }
  return {};
}

SchemaMethod Schema::try_find_method(std::string_view name) {
  // A method that a server adds to a service defined elsewhere has the name of that service.
  if (SchemaMethod info = try_find_path(find_service(fallback_service), name); info.descriptor != nullptr) {
    return info;
  }
  const SplitName parts = split(name);
  if (!parts.service.empty()) {
    const ServiceDescriptor* const service = find_service(parts.service);
    const MethodDescriptor* const method = service != nullptr ? service->FindMethodByName(parts.method) : nullptr;
    if (method != nullptr) return info_of(*method);
  }
  for (const std::string& each : services()) {
    if (SchemaMethod info = try_find_path(find_service(each), name); info.descriptor != nullptr) return info;
  }
  return {};
}

SchemaMethod Schema::find_method(std::string_view name) {
  SchemaMethod info = try_find_method(name);
  if (info.descriptor == nullptr) refuse("method", name);
  return info;
}

/// Returns the names that the methods have on the wire.
std::vector<std::string> Schema::paths_of(const std::string& service_name) const {
  std::vector<std::string> paths;
  const ServiceDescriptor* const service = find_service(service_name);
  for (int i = 0; service != nullptr && i < service->method_count(); ++i) {
    paths.push_back(info_of(*service->method(i)).path);
  }
  return paths;
}

void Schema::refuse(std::string_view noun, std::string_view name) {
  const SplitName parts = split(name);
  const std::string unknown = "unknown " + std::string(noun) + " '" + output::escaped(name) + "'";
  if (const auto* const service = find_service(std::string(name))) {
    throw process::usage_error(unknown + "; it is a service, which has " + list_of(method_names(*service)));
  }
  if (const auto* const service = parts.service.empty() ? nullptr : find_service(parts.service)) {
    const std::vector<std::string> methods = method_names(*service);
    throw process::usage_error("service " + output::escaped(parts.service) + " has no method '" +
                               output::escaped(parts.method) + "'; it has " + list_of(methods) +
                               output::did_you_mean(parts.method, methods));
  }
  std::vector<std::string> known = services();
  for (const std::string_view each : {name, std::string_view(parts.service)}) {
    if (std::find(known.begin(), known.end(), each) == known.end()) continue;
    throw process::Failure(process::exit_status::failed, output::escaped(this->name()) + " lists the service '" +
                                                             output::escaped(each) + "', but does not define it");
  }
  const std::string has = "; " + this->name() + " has the services " + list_of(known);
  std::vector<std::string> paths;
  for (const std::string& each : known) {
    for (std::string& path : paths_of(each)) paths.push_back(std::move(path));
  }
  if (const std::string suggestion = output::did_you_mean(name, paths); !suggestion.empty())
    throw process::usage_error(unknown + suggestion);
  const std::string& wanted = parts.service.empty() ? parts.method : parts.service;
  std::string suggestion = output::did_you_mean(name, known);
  if (suggestion.empty()) suggestion = output::did_you_mean(wanted, known);
  throw process::usage_error(unknown + (suggestion.empty() ? has : suggestion));
}

}  // namespace trunkline::cli::schema
