// SPDX-License-Identifier: MIT
// ReflectionSource: gets definitions from a server's reflection service.
#pragma once

#include "cli/schema/packed_message.h"
#include "cli/schema/schema.h"

#include <trunkline/channel.h>
#include <trunkline/v1/reflection.pb.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::cli::schema {

/// A source that requests definitions when they are needed, over a stream that stays open until release(), and caches
/// every response. A server without version 1 of the protocol is asked by v1alpha, which has the same messages. One
/// thread at a time may use it. Functions throw Failure if the call fails, and for more than BoundedSource::max_files;
/// an unknown name is not a failure.
class ReflectionSource final : public SchemaSource {
 public:
  /// `endpoint` is used in messages. The channel must outlive this object; `options` apply to the call.
  ReflectionSource(Channel& channel, std::string endpoint, const CallOptions& options);
  ~ReflectionSource() override;

  std::vector<std::string> services() override;
  std::string name() const override { return endpoint_; }
  void release() override;

  bool FindFileByName(const std::string& name, google::protobuf::FileDescriptorProto* file) override;
  bool FindFileContainingSymbol(const std::string& symbol, google::protobuf::FileDescriptorProto* file) override;
  bool FindFileContainingExtension(const std::string& type, int number,
                                   google::protobuf::FileDescriptorProto* file) override;
  bool FindAllExtensionNumbers(const std::string& type, std::vector<int>* numbers) override;

 private:
  v1::ServerReflectionResponse ask(const v1::ServerReflectionRequest& request);
  Result<std::optional<PackedMessage>> exchange(const v1::ServerReflectionRequest& request);
  bool learn(const v1::ServerReflectionRequest& request);
  [[noreturn]] void fail(const Status& status) const;

  Channel& channel_;
  std::string endpoint_;
  CallOptions options_;
  std::string_view method_;
  bool has_answered_ = false;
  std::size_t files_learned_ = 0;
  std::optional<ClientStream<PackedMessage, PackedMessage>> stream_;
  std::optional<std::vector<std::string>> services_;
  google::protobuf::SimpleDescriptorDatabase files_;
  google::protobuf::DescriptorPoolDatabase known_;
  std::set<std::string> unknown_;
};

}  // namespace trunkline::cli::schema
