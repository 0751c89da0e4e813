// SPDX-License-Identifier: MIT
// The client that connectconformance starts: reads calls to make from standard input, and writes what came of each to
// standard output.
#include "delimited.h"

#include <connectrpc/conformance/v1/client_compat.pb.h>
#include <connectrpc/conformance/v1/service.trunkline.h>
#include <trunkline/channel.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace trunkline::conformance {

namespace {

namespace v1 = connectrpc::conformance::v1;
using Methods = v1::ConformanceService::Methods;
using Headers = google::protobuf::RepeatedPtrField<v1::Header>;

void pause(std::uint32_t milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

void add_headers(const Metadata& metadata, Headers& headers) {
  std::map<std::string_view, v1::Header*> by_name;
  for (const auto& [name, value] : metadata) {
    v1::Header*& header = by_name[name];
    if (header == nullptr) header = headers.Add();
    header->set_name(name);
    header->add_value(value);
  }
}

/// A call to make, and what came of it.
class Plan {
 public:
  explicit Plan(const v1::ClientCompatRequest& request) : request_(request) {
    for (const v1::Header& header : request_.request_headers()) {
      for (const std::string& value : header.value()) options_.metadata.add(header.name(), value);
    }
    if (request_.has_timeout_ms()) options_.timeout = std::chrono::milliseconds(request_.timeout_ms());
    options_.codec = request_.codec() == v1::CODEC_JSON ? "json" : "protobuf";
    options_.compressor = compressor();
    options_.idempotent = request_.use_get_http_method();
  }

  v1::ClientResponseResult run() {
    ChannelOptions options;
    // As the server's.
    options.compression_threshold = 0;
    options.limits.max_decompression_ratio = 1 << 16;
    if (request_.message_receive_limit() > 0) options.limits.max_message_bytes = request_.message_receive_limit();
    options.http_get = request_.use_get_http_method();
    options.http_version = request_.http_version() == v1::HTTP_VERSION_1 ? HttpVersion::http1 : HttpVersion::http2;
    options.tls.ca_pem = request_.server_tls_cert();
    options.tls.certificate_pem = request_.client_tls_creds().cert();
    options.tls.private_key_pem = request_.client_tls_creds().key();
    Channel channel(scheme() + "://" + request_.host() + ":" + std::to_string(request_.port()), std::move(options));
    const std::string& method = request_.method();
    if (method == "Unary") {
      unary<Methods::Unary>(channel);
    } else if (method == "IdempotentUnary") {
      unary<Methods::IdempotentUnary>(channel);
    } else if (method == "Unimplemented") {
      unary<Methods::Unimplemented>(channel);
    } else if (method == "ClientStream") {
      stream<Methods::ClientStream>(channel);
    } else if (method == "ServerStream") {
      stream<Methods::ServerStream>(channel);
    } else {
      stream<Methods::BidiStream>(channel);
    }
    return std::move(result_);
  }

 private:
  using Cancel = v1::ClientCompatRequest::Cancel;

  std::string scheme() const {
    const std::string s = request_.server_tls_cert().empty() ? "" : "s";
    switch (request_.protocol()) {
      case v1::PROTOCOL_CONNECT:
        return "http" + s;
      case v1::PROTOCOL_GRPC_WEB:
        return "grpc-web" + s;
      default:
        return "grpc" + s;
    }
  }
  std::string_view compressor() const {
    switch (request_.compression()) {
      case v1::COMPRESSION_GZIP:
        return "gzip";
      case v1::COMPRESSION_DEFLATE:
        return "deflate";
      case v1::COMPRESSION_SNAPPY:
        return "snappy";
      case v1::COMPRESSION_ZSTD:
        return "zstd";
      case v1::COMPRESSION_BR:
        return "br";
      default:
        return "identity";
    }
  }
  Method method(Channel& channel) const {
    return channel.method(
        (request_.has_service() ? request_.service() : std::string(v1::ConformanceService::full_name)) + "/" +
        request_.method());
  }
  template <class Kind>
  typename Kind::Request message(int number) const {
    typename Kind::Request message;
    if (!request_.request_messages(number).UnpackTo(&message)) throw std::runtime_error("a request has another type");
    return message;
  }
  bool cancels_later() const {
    return request_.has_cancel() && (request_.cancel().cancel_timing_case() == Cancel::kAfterCloseSendMs ||
                                     request_.cancel().cancel_timing_case() == Cancel::CANCEL_TIMING_NOT_SET);
  }

  template <class Kind>
  void unary(Channel& channel) {
    const auto request = message<Kind>(0);
    typename Kind::Response response;
    pause(request_.request_delay_ms());
    ResponseInfo info;
    options_.response_info = &info;
    asio::cancellation_signal cancellation;
    std::promise<Status> ended;
    channel.async_call(
        method(channel), request, response, options_,
        asio::bind_cancellation_slot(cancellation.slot(), [&ended](const Status& status) { ended.set_value(status); }));
    if (cancels_later()) {
      pause(request_.cancel().after_close_send_ms());
      // On the channel's loop, where the handler runs.
      asio::post(channel.executor(), [&cancellation] { cancellation.emit(asio::cancellation_type::terminal); });
    }
    const Status status = ended.get_future().get();
    if (status.is_ok()) take(response);
    finish(status, info.leading, info.trailing);
  }

  template <class Kind>
  void stream(Channel& channel) {
    auto call = channel.stream<typename Kind::Request, typename Kind::Response>(method(channel), options_);
    Status status = write_all<Kind>(call);
    if (status.is_ok()) status = Kind::kind == MethodKind::client_stream ? read_one(call) : read_all(call);
    finish(status, call.leading(), call.trailing());
  }
  template <class Kind, class Call>
  Status write_all(Call& call) {
    const int count = request_.request_messages_size();
    for (int i = 0; i < count; ++i) {
      pause(request_.request_delay_ms());
      if (Status written = call.write(message<Kind>(i)); !written.is_ok()) {
        result_.set_num_unsent_requests(count - i);
        return call.finish();
      }
      if (request_.stream_type() != v1::STREAM_TYPE_FULL_DUPLEX_BIDI_STREAM) continue;
      auto response = call.read();
      if (!response.is_ok()) return response.status();
      if (response->has_value() && !take(**response)) call.cancel();
      if (!response->has_value()) break;
    }
    if (request_.cancel().has_before_close_send()) {
      call.cancel();
    } else if (Status closed = call.close_writes(); !closed.is_ok()) {
      return call.finish();
    }
    if (cancels_later()) {
      pause(request_.cancel().after_close_send_ms());
      call.cancel();
    }
    return {};
  }
  template <class Request, class Response>
  Status read_one(ClientStream<Request, Response>& call) {
    Response response;
    Status status = call.finish(response);
    if (status.is_ok()) take(response);
    return status;
  }
  template <class Call>
  Status read_all(Call& call) {
    for (;;) {
      auto response = call.read();
      if (!response.is_ok()) return response.status();
      if (!response->has_value()) return call.finish();
      if (!take(**response)) call.cancel();
    }
  }

  /// False: the call is to be cancelled now.
  template <class Response>
  bool take(const Response& response) {
    if constexpr (requires { response.payload(); }) {
      *result_.add_payloads() = response.payload();
    }
    const auto most = request_.cancel().after_num_responses();
    return most == 0 || static_cast<std::uint32_t>(result_.payloads_size()) < most;
  }
  void finish(const Status& status, const Metadata& leading, const Metadata& trailing) {
    add_headers(leading, *result_.mutable_response_headers());
    add_headers(trailing, *result_.mutable_response_trailers());
    if (status.is_ok()) return;
    v1::Error& error = *result_.mutable_error();
    error.set_code(static_cast<v1::Code>(status.code()));
    error.set_message(std::string(status.message()));
    for (const StatusDetail& detail : status.details()) {
      google::protobuf::Any& packed = *error.add_details();
      packed.set_type_url(detail.type_url);
      packed.set_value(detail.value);
    }
  }

  const v1::ClientCompatRequest& request_;
  CallOptions options_;
  v1::ClientResponseResult result_;
};

/// Makes the calls of the input, which its threads share.
class Calls {
 public:
  void run_all() {
    constexpr std::size_t at_once = 8;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < at_once; ++i) threads.emplace_back([this] { run(); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void run() {
    while (std::optional<v1::ClientCompatRequest> request = next()) {
      v1::ClientCompatResponse response;
      response.set_test_name(request->test_name());
      try {
        *response.mutable_response() = Plan(*request).run();
      } catch (const std::exception& error) {
        response.mutable_error()->set_message(error.what());
      }
      const std::lock_guard lock(output_);
      write_message(std::cout, response);
    }
  }
  std::optional<v1::ClientCompatRequest> next() {
    const std::lock_guard lock(input_);
    v1::ClientCompatRequest request;
    if (!read_message(std::cin, request)) return std::nullopt;
    return request;
  }

  std::mutex input_;
  std::mutex output_;
};

}  // namespace

}  // namespace trunkline::conformance

int main() {
  try {
    trunkline::conformance::Calls().run_all();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "conformance_client: " << error.what() << "\n";
    return 1;
  }
}
