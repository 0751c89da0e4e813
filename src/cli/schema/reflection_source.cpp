// SPDX-License-Identifier: MIT
// ReflectionSource: sends one request and reads one response at a time; stores files in a database.
#include "cli/schema/reflection_source.h"

#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/schema/bounded_source.h"

#include <google/protobuf/descriptor.pb.h>
#include <asio/use_future.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

namespace trunkline::cli::schema {
namespace {

using google::protobuf::FileDescriptorProto;

/// The time limit of one stream if no other is given. A server that takes longer is faulty.
constexpr std::chrono::seconds default_timeout{20};
/// The time in which the server must end the stream; after that it is cancelled.
constexpr std::chrono::milliseconds end_timeout{200};
constexpr std::string_view method_name = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
constexpr std::string_view alpha_method_name = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

}  // namespace

ReflectionSource::ReflectionSource(Channel& channel, std::string endpoint, const CallOptions& options)
    : channel_(channel),
      endpoint_(std::move(endpoint)),
      options_(options),
      method_(method_name),
      known_(*google::protobuf::DescriptorPool::generated_pool()) {
  if (!options_.timeout) options_.timeout = default_timeout;
  // The compressor is for the call that is asked for; the server's reflection may know fewer.
  options_.compressor = "identity";
}

ReflectionSource::~ReflectionSource() { ReflectionSource::release(); }

/// Ends the stream in order, so that the server does not count a cancelled call. Cancels it if the server does not end
/// its side in time.
void ReflectionSource::release() {
  if (!stream_) return;
  if (stream_->close_writes().is_ok()) {
    std::future<Status> ended = stream_->async_finish(asio::use_future);
    if (ended.wait_for(end_timeout) == std::future_status::timeout) {
      stream_->cancel();
      ended.wait();
    }
  }
  stream_.reset();
}

void ReflectionSource::fail(const Status& status) const {
  if (status.code() == StatusCode::unimplemented && status.origin() == StatusOrigin::peer) {
    throw process::Failure(process::exit_status::of(status.code()),
                           endpoint_ + " has no reflection (" + output::escaped(status.to_string()) +
                               "); serve it there (C++: add_reflection(server), Python: "
                               "trunkline.services.add_reflection(server)), give the definitions with --proto or "
                               "--descriptor-set, or call methods of plain types with --codec json");
  }
  throw process::Failure(process::exit_status::of(status.code()),
                         "ask " + endpoint_ + " for its services: " + output::escaped(status.to_string()));
}

/// Sends a request and returns the response, which is empty if the server has ended the stream instead.
Result<std::optional<PackedMessage>> ReflectionSource::exchange(const v1::ServerReflectionRequest& request) {
  if (!stream_) stream_ = channel_.stream<PackedMessage, PackedMessage>(channel_.method(method_), options_);
  // The error of a failed write is the status of the call, which the read returns.
  static_cast<void>(stream_->write(pack(request)));
  return stream_->read();
}

v1::ServerReflectionResponse ReflectionSource::ask(const v1::ServerReflectionRequest& request) {
  Result<std::optional<PackedMessage>> received = exchange(request);
  const bool may_be_older = !has_answered_ && method_ == method_name;
  if (may_be_older && received.status().code() == StatusCode::unimplemented) {
    method_ = alpha_method_name;
    stream_.reset();
    received = exchange(request);
  }
  if (!received) fail(received.status());
  if (!received->has_value()) fail({StatusCode::internal, "reflection ended its stream without a response"});
  has_answered_ = true;
  v1::ServerReflectionResponse response;
  if (const Status status = unpack(**received, response); !status.is_ok()) fail(status);
  return response;
}

std::vector<std::string> ReflectionSource::services() {
  if (services_) return *services_;
  v1::ServerReflectionRequest request;
  request.set_list_services("*");
  const v1::ServerReflectionResponse response = ask(request);
  if (response.has_error_response()) {
    const auto& error = response.error_response();
    const auto code = static_cast<std::uint32_t>(error.error_code());
    fail({is_valid_status_code(code) ? static_cast<StatusCode>(code) : StatusCode::unknown, error.error_message(),
          StatusOrigin::peer});
  }
  services_.emplace();
  for (const auto& service : response.list_services_response().service()) services_->push_back(service.name());
  std::sort(services_->begin(), services_->end());
  return *services_;
}

/// Requests files and stores them. Returns false if the server does not know the name.
bool ReflectionSource::learn(const v1::ServerReflectionRequest& request) {
  const std::string key = request.SerializeAsString();
  if (unknown_.contains(key)) return false;
  const v1::ServerReflectionResponse response = ask(request);
  bool is_known = false;
  for (const std::string& bytes : response.file_descriptor_response().file_descriptor_proto()) {
    FileDescriptorProto file;
    if (!file.ParseFromString(bytes))
      fail({StatusCode::internal, "reflection sent bytes that are not a FileDescriptorProto"});
    FileDescriptorProto present;
    drop_default_json_names(file);
    if (!files_.FindFileByName(file.name(), &present)) {
      if (++files_learned_ > BoundedSource::max_files) refuse_more_files(endpoint_);
      files_.Add(file);
    }
    is_known = true;
  }
  if (!is_known) unknown_.insert(key);
  return is_known;
}

bool ReflectionSource::FindFileByName(const std::string& name, FileDescriptorProto* file) {
  if (files_.FindFileByName(name, file)) return true;
  v1::ServerReflectionRequest request;
  request.set_file_by_filename(name);
  if (learn(request) && files_.FindFileByName(name, file)) return true;
  return known_.FindFileByName(name, file);
}

bool ReflectionSource::FindFileContainingSymbol(const std::string& symbol, FileDescriptorProto* file) {
  if (files_.FindFileContainingSymbol(symbol, file)) return true;
  v1::ServerReflectionRequest request;
  request.set_file_containing_symbol(symbol);
  return learn(request) && files_.FindFileContainingSymbol(symbol, file);
}

bool ReflectionSource::FindFileContainingExtension(const std::string& type, int number, FileDescriptorProto* file) {
  if (files_.FindFileContainingExtension(type, number, file)) return true;
  v1::ServerReflectionRequest request;
  request.mutable_file_containing_extension()->set_containing_type(type);
  request.mutable_file_containing_extension()->set_extension_number(number);
  return learn(request) && files_.FindFileContainingExtension(type, number, file);
}

bool ReflectionSource::FindAllExtensionNumbers(const std::string& type, std::vector<int>* numbers) {
  v1::ServerReflectionRequest request;
  request.set_all_extension_numbers_of_type(type);
  const v1::ServerReflectionResponse response = ask(request);
  for (const int number : response.all_extension_numbers_response().extension_number()) numbers->push_back(number);
  return response.has_all_extension_numbers_response();
}

}  // namespace trunkline::cli::schema
