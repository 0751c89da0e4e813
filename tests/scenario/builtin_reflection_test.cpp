// SPDX-License-Identifier: MIT
// The reflection service as its callers see it: requests of each kind, errors, and what is sent only once.
#include "trunkline/v1/reflection.pb.h"

#include <trunkline/channel.h>
#include <trunkline/health.h>
#include <trunkline/protobuf.h>
#include <trunkline/reflection.h>
#include <trunkline/server.h>
#include <trunkline/statistics_service.h>

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/duration.pb.h>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trunkline {

namespace {

namespace protobuf = google::protobuf;
using namespace std::chrono_literals;
using Request = v1::ServerReflectionRequest;
using Response = v1::ServerReflectionResponse;
using Names = std::vector<std::string>;
using Stream = ClientStream<Request, Response>;

constexpr std::string_view current = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
constexpr std::string_view alpha = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

class ReflectionOfAServer : public ::testing::Test {
 protected:
  ReflectionOfAServer() {
    add_reflection(server_);
    channel_ = std::make_unique<Channel>(server_.listen("inproc://reflection").to_string());
    if (Status started = server_.start(); !started) throw StatusError(started);
  }
  Stream open(std::string_view method = current) {
    return channel_->stream<Request, Response>(method, CallOptions{.timeout = 20s});
  }
  static Response ask(Stream& stream, const Request& request) {
    if (Status written = stream.write(request); !written) throw StatusError(written);
    return stream.read().value().value();
  }
  Response ask(const Request& request) {
    Stream stream = open();
    return ask(stream, request);
  }
  static Request for_services() {
    Request request;
    request.set_list_services("*");
    return request;
  }
  static Request for_symbol(const std::string& symbol) {
    Request request;
    request.set_file_containing_symbol(symbol);
    return request;
  }
  static Request for_file(const std::string& name) {
    Request request;
    request.set_file_by_filename(name);
    return request;
  }
  Names services() {
    const Response response = ask(for_services());
    Names names;
    for (const auto& service : response.list_services_response().service()) names.push_back(service.name());
    return names;
  }
  static std::vector<protobuf::FileDescriptorProto> files(const Response& response) {
    std::vector<protobuf::FileDescriptorProto> result;
    for (const std::string& bytes : response.file_descriptor_response().file_descriptor_proto()) {
      EXPECT_TRUE(result.emplace_back().ParseFromString(bytes));
    }
    return result;
  }
  static Names file_names(const Response& response) {
    Names names;
    for (const auto& file : files(response)) names.push_back(file.name());
    return names;
  }
  void handle_text(std::string_view method) {
    server_.handle<std::string, std::string>(method, [](const std::string& text, ServerContext&) { return text; });
  }

  Server server_;
  std::unique_ptr<Channel> channel_;
};

TEST_F(ReflectionOfAServer, ListsServices) {
  handle_text("acme.Orders/Place");
  handle_text("echo");

  EXPECT_EQ(services(), (Names{"acme.Orders", "grpc.reflection.v1.ServerReflection",
                               "grpc.reflection.v1alpha.ServerReflection", "trunkline.Methods"}));
}

TEST_F(ReflectionOfAServer, ListsMethodsThatAreAddedAndRemoved) {
  Stream stream = open();
  const int before = ask(stream, for_services()).list_services_response().service_size();
  handle_text("acme.Orders/Place");
  const int with = ask(stream, for_services()).list_services_response().service_size();
  const Response known = ask(stream, for_symbol("acme.Orders.Place"));
  server_.remove("acme.Orders/Place");
  const int without = ask(stream, for_services()).list_services_response().service_size();
  const Response unknown = ask(stream, for_symbol("acme.Orders.Place"));

  EXPECT_EQ(with, before + 1);
  EXPECT_EQ(without, before);
  EXPECT_EQ(file_names(known).at(0), "trunkline/derived/acme.Orders.proto");
  EXPECT_EQ(unknown.error_response().error_code(), static_cast<int>(StatusCode::not_found));
}

TEST_F(ReflectionOfAServer, FindsSymbolsOfEachKind) {
  for (const char* symbol :
       {"grpc.reflection.v1.ServerReflection", "grpc.reflection.v1.ServerReflection.ServerReflectionInfo",
        "grpc.reflection.v1.ServerReflectionRequest", "grpc.reflection.v1.ServerReflectionRequest.host"}) {
    EXPECT_EQ(file_names(ask(for_symbol(symbol))), (Names{"grpc/reflection/v1/reflection.proto"})) << symbol;
  }
  for (const char* symbol : {"google.protobuf.FieldDescriptorProto.Type",
                             "google.protobuf.FieldDescriptorProto.TYPE_INT32", "google.protobuf.DescriptorProto"}) {
    EXPECT_EQ(file_names(ask(for_symbol(symbol))), (Names{"google/protobuf/descriptor.proto"})) << symbol;
  }
}

TEST_F(ReflectionOfAServer, EchoesTheRequest) {
  Request request = for_symbol("nothing.at.All");
  request.set_host("me");

  const Response response = ask(request);

  EXPECT_EQ(response.valid_host(), "me");
  EXPECT_EQ(response.original_request().SerializeAsString(), request.SerializeAsString());
}

TEST_F(ReflectionOfAServer, AnUnknownNameIsAResponseAndDoesNotEndTheStream) {
  Stream stream = open();
  Request extension;
  extension.mutable_file_containing_extension()->set_containing_type("google.protobuf.MethodOptions");
  extension.mutable_file_containing_extension()->set_extension_number(4);
  Request extended;
  extended.set_all_extension_numbers_of_type("nothing.at.All");
  const auto error = [&](const Request& request) {
    const Response response = ask(stream, request);
    return std::to_string(response.error_response().error_code()) + " " + response.error_response().error_message();
  };

  EXPECT_EQ(error(for_symbol("nothing.at.All")), "5 symbol nothing.at.All is not known");
  EXPECT_EQ(error(for_file("nothing.proto")), "5 file nothing.proto is not known");
  EXPECT_EQ(error(extension), "5 extension 4 of google.protobuf.MethodOptions is not known");
  EXPECT_EQ(error(extended), "5 message nothing.at.All is not known");
  EXPECT_EQ(error(Request()), "3 reflect: the request is empty");
  EXPECT_GT(ask(stream, for_services()).list_services_response().service_size(), 0);
  ASSERT_TRUE(stream.close_writes().is_ok());
  EXPECT_EQ(stream.read().value(), std::nullopt);
  EXPECT_TRUE(stream.finish().is_ok());
}

TEST_F(ReflectionOfAServer, KnowsExtensions) {
  Request numbers;
  numbers.set_all_extension_numbers_of_type("google.protobuf.MethodOptions");
  Request file;
  file.mutable_file_containing_extension()->set_containing_type("google.protobuf.MethodOptions");
  file.mutable_file_containing_extension()->set_extension_number(57321);

  const Response found = ask(numbers);

  EXPECT_EQ(found.all_extension_numbers_response().base_type_name(), "google.protobuf.MethodOptions");
  const auto& all = found.all_extension_numbers_response().extension_number();
  EXPECT_EQ(std::count(all.begin(), all.end(), 57321), 1);
  EXPECT_EQ(file_names(ask(file)), (Names{"trunkline/v1/options.proto", "google/protobuf/descriptor.proto"}));
}

TEST_F(ReflectionOfAServer, SendsAnImportedFileOncePerCall) {
  handle_text("acme.Orders/Place");
  handle_text("acme.Stock/Count");
  Stream stream = open();

  const Names first = file_names(ask(stream, for_symbol("acme.Orders")));
  const Names second = file_names(ask(stream, for_symbol("acme.Stock")));
  const Names again = file_names(ask(stream, for_symbol("acme.Orders")));
  const Names by_name = file_names(ask(stream, for_file("google/protobuf/descriptor.proto")));

  EXPECT_EQ(first, (Names{"trunkline/derived/acme.Orders.proto", "google/protobuf/wrappers.proto",
                          "trunkline/v1/options.proto", "google/protobuf/descriptor.proto"}));
  EXPECT_EQ(second, (Names{"trunkline/derived/acme.Stock.proto"}));
  EXPECT_EQ(again, (Names{"trunkline/derived/acme.Orders.proto"})) << "the requested file itself always comes";
  EXPECT_EQ(by_name, (Names{"google/protobuf/descriptor.proto"}));
}

TEST_F(ReflectionOfAServer, SpeaksV1alpha) {
  Stream stream = open(alpha);

  EXPECT_EQ(file_names(ask(stream, for_symbol("grpc.reflection.v1alpha.ServerReflection"))),
            (Names{"grpc/reflection/v1alpha/reflection.proto"}));
}

TEST_F(ReflectionOfAServer, DescribesEveryBuiltInServiceAsAClientAcceptsIt) {
  add_health(server_);
  add_statistics(server_);
  handle_text("echo");
  server_.handle<protobuf::Duration, protobuf::Duration>(
      "acme.Clock/Wait", [](const protobuf::Duration& time, ServerContext&) { return time; });

  Stream stream = open();
  protobuf::SimpleDescriptorDatabase database;
  for (const std::string& service : services()) {
    for (const auto& file : files(ask(stream, for_symbol(service)))) {
      protobuf::FileDescriptorProto known;
      if (!database.FindFileByName(file.name(), &known)) {
        ASSERT_TRUE(database.Add(file)) << file.name();
      }
    }
  }

  protobuf::DescriptorPool pool(&database);
  for (const std::string& service : services()) {
    const protobuf::ServiceDescriptor* found = pool.FindServiceByName(service);
    ASSERT_NE(found, nullptr) << service;
    for (int i = 0; i < found->method_count(); ++i) EXPECT_NE(found->method(i)->input_type(), nullptr);
  }
  EXPECT_EQ(services().size(), 6u);
  EXPECT_EQ(pool.FindMethodByName("acme.Clock.Wait")->input_type()->full_name(), "google.protobuf.Duration");
  EXPECT_NE(pool.FindMethodByName("trunkline.v1.Statistics.Watch"), nullptr);
  EXPECT_NE(pool.FindMethodByName("grpc.health.v1.Health.Check"), nullptr);
}

TEST_F(ReflectionOfAServer, SendsDescriptionsAsComments) {
  server_.handle<std::string, std::string>("acme.Orders/Place",
                                           [](const std::string& text, ServerContext&) { return text; },
                                           {.description = "Buys one thing."});
  add_health(server_);

  const auto comments = [&](const std::string& service) {
    std::set<std::string> all;
    const std::vector<protobuf::FileDescriptorProto> told = files(ask(for_symbol(service)));
    for (const auto& location : told.at(0).source_code_info().location()) {
      all.insert(location.leading_comments());
    }
    return all;
  };

  EXPECT_EQ(comments("acme.Orders"), (std::set<std::string>{" Buys one thing.\n"}));
  EXPECT_EQ(comments("grpc.health.v1.Health"),
            (std::set<std::string>{" Returns the current status. Fails with NOT_FOUND for a service that has none.\n",
                                   " Sends the current status and each change until the caller ends the call; "
                                   "SERVICE_UNKNOWN for a service without one.\n"}));
}

TEST_F(ReflectionOfAServer, ServersShutdownEndsStreams) {
  Stream asking = open();
  static_cast<void>(ask(asking, for_services()));
  Stream silent = open(alpha);
  static_cast<void>(ask(silent, for_services()));

  const Status shut_down = server_.shutdown(20s);

  EXPECT_TRUE(shut_down.is_ok()) << shut_down.to_string();
  EXPECT_EQ(asking.read().status().code(), StatusCode::unavailable);
  EXPECT_EQ(silent.read().status().message(), "reflect: the server is shutting down");
}

TEST_F(ReflectionOfAServer, ShutdownDoesNotWaitForAClientThatDoesNotRead) {
  Stream stream = open();
  Request request = for_symbol("google.protobuf.FileDescriptorProto");
  for (int i = 0; i < 150; ++i) {
    ASSERT_TRUE(stream.write(request).is_ok());
  }

  const Status shut_down = server_.shutdown(60s);

  EXPECT_TRUE(shut_down.is_ok()) << shut_down.to_string();
}

TEST(AddReflection, RefusesStreamsBeyondItsLimit) {
  Server server;
  add_reflection(server, {.max_streams = 1});
  Channel channel(server.listen("inproc://few-reflections").to_string());
  ASSERT_TRUE(server.start().is_ok());
  Stream first = channel.stream<Request, Response>(current, CallOptions{.timeout = 20s});
  Request request;
  request.set_list_services("*");
  ASSERT_TRUE(first.write(request).is_ok());
  ASSERT_TRUE(first.read().is_ok());

  Stream second = channel.stream<Request, Response>(current, CallOptions{.timeout = 20s});

  EXPECT_EQ(second.read().status().code(), StatusCode::resource_exhausted);
}

TEST(AddReflection, ASecondTimeIsRefusedWithoutEffect) {
  Server server;
  add_reflection(server);

  EXPECT_THROW(add_reflection(server), std::invalid_argument);
  EXPECT_EQ(server.methods().size(), 2u);
}

}  // namespace

}  // namespace trunkline
