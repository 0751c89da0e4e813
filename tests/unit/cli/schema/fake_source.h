// SPDX-License-Identifier: MIT
// FakeSource: definitions that a test makes when a pool asks for them.
#pragma once

#include "cli/schema/schema.h"

#include <google/protobuf/descriptor.pb.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::cli::schema {

class FakeSource final : public SchemaSource {
 public:
  using File = google::protobuf::FileDescriptorProto;
  /// False: there is none of that name.
  using Find = std::function<bool(const std::string& name, File& file)>;

  FakeSource(std::vector<std::string> services, Find by_name, Find by_symbol)
      : services_(std::move(services)), by_name_(std::move(by_name)), by_symbol_(std::move(by_symbol)) {}

  std::vector<std::string> services() override { return services_; }
  std::string name() const override { return "fake"; }
  bool FindFileByName(const std::string& name, File* file) override { return by_name_(name, *file); }
  bool FindFileContainingSymbol(const std::string& name, File* file) override { return by_symbol_(name, *file); }
  bool FindFileContainingExtension(const std::string&, int, File*) override { return false; }

 private:
  std::vector<std::string> services_;
  Find by_name_;
  Find by_symbol_;
};

/// f<n>.proto, in the package p<n>, with a message M and a service S.
inline google::protobuf::FileDescriptorProto numbered_file(std::size_t number) {
  google::protobuf::FileDescriptorProto file;
  const std::string text = std::to_string(number);
  file.set_name("f" + text + ".proto");
  file.set_package("p" + text);
  file.set_syntax("proto3");
  file.add_message_type()->set_name("M");
  auto& service = *file.add_service();
  service.set_name("S");
  auto& method = *service.add_method();
  method.set_name("Go");
  method.set_input_type(".p" + text + ".M");
  method.set_output_type(".p" + text + ".M");
  return file;
}

/// Of a name like "f7.proto" or "p7.M".
inline std::size_t number_of(const std::string& name) { return static_cast<std::size_t>(std::stoul(name.substr(1))); }

}  // namespace trunkline::cli::schema
