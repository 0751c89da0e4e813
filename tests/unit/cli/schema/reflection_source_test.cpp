// SPDX-License-Identifier: MIT
// Definitions from a server: which version of reflection it is asked by, and how much of it is learned.
#include "cli/schema/reflection_source.h"

#include "cli/process/failure.h"
#include "cli/schema/bounded_source.h"
#include "fake_source.h"

#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>
#include <asio/awaitable.hpp>
#include <asio/use_awaitable.hpp>

#include <functional>
#include <memory>

namespace trunkline::cli::schema {
namespace {

using Request = v1::ServerReflectionRequest;
using Response = v1::ServerReflectionResponse;
using Answer = std::function<void(const Request&, Response&)>;

constexpr std::string_view stable = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
constexpr std::string_view alpha = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

/// Serves one version of reflection.
class Reflecting {
 public:
  Reflecting(std::string_view method, Answer answer) {
    server_.handle_stream<Request, Response>(
        method, [answer](ServerStream<Request, Response>& stream, ServerContext&) -> asio::awaitable<Status> {
          while (true) {
            Result<std::optional<Request>> next = co_await stream.async_read(asio::use_awaitable);
            if (!next) co_return next.status();
            if (!next->has_value()) co_return Status::ok();
            Response response;
            answer(**next, response);
            if (Status status = co_await stream.async_write(response, asio::use_awaitable); !status) co_return status;
          }
        });
    const std::string endpoint = server_.listen("tcp://127.0.0.1:0").to_string();
    EXPECT_TRUE(server_.start().is_ok());
    ChannelOptions options;
    options.codecs = packed_message_codecs();
    channel_ = std::make_unique<Channel>(endpoint, options);
  }

  std::unique_ptr<ReflectionSource> source() {
    return std::make_unique<ReflectionSource>(*channel_, "there", CallOptions{});
  }

 private:
  Server server_;
  std::unique_ptr<Channel> channel_;
};

void list_one(const Request& request, Response& response) {
  if (request.has_list_services()) {
    response.mutable_list_services_response()->add_service()->set_name("p0.S");
  } else {
    response.mutable_file_descriptor_response()->add_file_descriptor_proto(numbered_file(0).SerializeAsString());
  }
}

TEST(ReflectionSource, AServerWithTheOlderVersionOnlyIsAskedByThat) {
  for (const std::string_view version : {stable, alpha}) {
    Reflecting there(version, list_one);
    Schema schema(there.source());

    EXPECT_EQ(schema.services(), std::vector<std::string>{"p0.S"}) << version;
    EXPECT_NE(schema.find_service("p0.S"), nullptr) << version;
  }
}

TEST(ReflectionSource, AServerWithoutReflectionIsSaidToHaveNone) {
  Reflecting there("other.Service/Method", list_one);
  const auto source = there.source();

  try {
    source->services();
    FAIL() << "no failure";
  } catch (const process::Failure& failure) {
    EXPECT_EQ(failure.exit_status(), process::exit_status::of(StatusCode::unimplemented));
    EXPECT_EQ(std::string(failure.what()).find("there has no reflection"), 0u) << failure.what();
  }
}

TEST(ReflectionSource, OneResponseMayNotHaveMoreFilesThanTheLimit) {
  Reflecting there(stable, [](const Request&, Response& response) {
    auto& files = *response.mutable_file_descriptor_response();
    for (std::size_t i = 0; i <= BoundedSource::max_files; ++i)
      files.add_file_descriptor_proto(numbered_file(i).SerializeAsString());
  });
  const auto source = there.source();
  google::protobuf::FileDescriptorProto file;

  try {
    source->FindFileByName("f0.proto", &file);
    FAIL() << "no failure";
  } catch (const process::Failure& failure) {
    EXPECT_STREQ(failure.what(), "definitions of there: more than 10000 files, which is the limit");
  }
}

TEST(ReflectionSource, EndlessImportsAreRefused) {
  Reflecting there(stable, [](const Request& request, Response& response) {
    const std::size_t number = request.has_file_by_filename() ? number_of(request.file_by_filename()) : 0;
    auto file = numbered_file(number);
    file.add_dependency("f" + std::to_string(number + 1) + ".proto");
    response.mutable_file_descriptor_response()->add_file_descriptor_proto(file.SerializeAsString());
  });
  Schema schema(there.source());

  try {
    static_cast<void>(schema.find_service("p0.S"));
    FAIL() << "no failure";
  } catch (const process::Failure& failure) {
    EXPECT_STREQ(failure.what(),
                 "definitions of there: files that need each other are more than 250 deep, which is the limit");
  }
}

}  // namespace
}  // namespace trunkline::cli::schema
