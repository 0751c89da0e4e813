// SPDX-License-Identifier: MIT
// The OpenAPI document: its operations, and the schemas of plain types and of protobuf's messages.
#include "service/openapi_document.h"

#include <trunkline/detail/method_shape.h>
#include <trunkline/fields.h>
#include <trunkline/plain.h>
#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <gtest/gtest.h>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::service {

/// Contains lists of itself.
struct Place {
  std::int64_t id = 0;
  std::optional<std::string> name;
  std::vector<Place> near;
  std::map<std::string, double> distances;
};

}  // namespace trunkline::service

TRUNKLINE_FIELDS(trunkline::service::Place, id, name, near, distances);

namespace trunkline::service {

namespace {

template <class Request, class Response>
MethodInfo method(std::string name, MethodKind kind = MethodKind::unary) {
  return {.name = std::move(name),
          .kind = kind,
          .request = &MessageTraits<Request>::type(),
          .response = &MessageTraits<Response>::type()};
}

const Value& schema_of(const Value& body) { return body.at("content").at("application/json").at("schema"); }
const Value& request_of(const Value& document, std::string_view path) {
  return schema_of(document.at("paths").at(path).at("post").at("requestBody"));
}
const Value& response_of(const Value& document, std::string_view path) {
  return schema_of(document.at("paths").at(path).at("post").at("responses").at("200"));
}
const Value& resolved(const Value& document, const Value& reference) {
  constexpr std::string_view prefix = "#/components/schemas/";
  return document.at("components").at("schemas").at(reference.at("$ref").as_string().substr(prefix.size()));
}

TEST(OpenApiDocument, DescribesGetOfStreamsAndBytes) {
  MethodInfo watch = method<Value, Value>("Watch", MethodKind::server_stream);
  MethodInfo digest = method<Slice, Slice>("Digest");
  watch.no_side_effects = digest.no_side_effects = true;

  const Value document = openapi_document({digest, watch}, {});

  const Value& paths = document.at("paths");
  EXPECT_EQ(paths.at("/Watch").at("get").at("operationId"), Value("Watch:get"));
  const Value& parameters = paths.at("/Digest").at("get").at("parameters");
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters.at(0).at("schema").at("contentEncoding"), Value("base64url"));
  EXPECT_EQ(parameters.at(1).at("schema").at("const"), Value("1"));
  EXPECT_EQ(parameters.at(2).at("name"), Value("encoding"));
}

TEST(OpenApiDocument, LeavesOutWhatIsPrivate) {
  MethodInfo secret = method<Value, Value>("Secret");
  secret.is_private = true;

  EXPECT_EQ(openapi_document({secret}, {}).at("paths"), Value::object());
}

TEST(OpenApiDocument, HasWhatPlainHttpCanCall) {
  MethodInfo greet = method<Value, Value>("Greet");
  greet.no_side_effects = true;
  greet.description = "Greets.\nNobody.";
  MethodInfo repeatable = method<Empty, Slice>("a.Files/Delete");
  repeatable.idempotent = true;
  const std::vector<MethodInfo> methods{greet,
                                        method<Empty, Slice>("a.Files/Read {all}"),
                                        repeatable,
                                        method<int, int>("a.Files/Watch", MethodKind::server_stream),
                                        method<Slice, int>("a.Files/Write", MethodKind::client_stream),
                                        method<Slice, Slice>("a.Files/Both", MethodKind::bidirectional)};

  const Value document = openapi_document(methods, {.title = "Files", .version = "2", .description = "Of a disk."});

  EXPECT_EQ(document.at("openapi"), Value("3.1.0"));
  EXPECT_EQ(document.at("info"), Value::object({{"title", "Files"}, {"version", "2"}, {"description", "Of a disk."}}));
  const Value& paths = document.at("paths");
  EXPECT_EQ(paths.size(), 4U);
  EXPECT_EQ(paths.at("/a.Files/Delete").find("get"), nullptr);
  const Value& get = paths.at("/Greet").at("get");
  EXPECT_EQ(get.at("operationId"), Value("Greet:get"));
  EXPECT_EQ(get.at("summary"), Value("Greets."));
  EXPECT_EQ(get.at("description"), Value("Nobody."));
  EXPECT_EQ(get.at("parameters").at(0).at("name"), Value("message"));
  EXPECT_EQ(paths.at("/Greet").at("post").at("operationId"), Value("Greet"));
  const Value& read = paths.at("/a.Files/Read%20%7Ball%7D").at("post");
  EXPECT_EQ(read.at("tags"), Value::array({"a.Files"}));
  EXPECT_EQ(read.find("requestBody"), nullptr);
  EXPECT_NE(read.at("responses").at("200").at("content").find("application/octet-stream"), nullptr);
  const Value& watch = paths.at("/a.Files/Watch");
  EXPECT_EQ(watch.find("get"), nullptr);
  const Value& line = watch.at("post").at("responses").at("200").at("content").at("application/x-ndjson");
  EXPECT_EQ(line.at("schema"), Value::object({{"type", "integer"}, {"format", "int32"}}));
  const Value& error = watch.at("post").at("responses").at("default");
  EXPECT_EQ(resolved(document, schema_of(error)).at("title"), Value("Error"));
}

TEST(OpenApiDocument, DescribesPlainTypes) {
  const Value document = openapi_document({method<std::vector<Place>, std::string>("Sort")}, {});

  EXPECT_EQ(response_of(document, "/Sort"), Value::object({{"type", "string"}}));
  const Value& list = request_of(document, "/Sort");
  EXPECT_EQ(list.at("type"), Value("array"));
  const Value& fields = resolved(document, list.at("items")).at("properties");
  EXPECT_EQ(fields.at("id"), Value::object({{"type", "integer"}, {"format", "int64"}}));
  EXPECT_EQ(fields.at("name").at("anyOf"),
            Value::array({Value::object({{"type", "string"}}), Value::object({{"type", "null"}})}));
  EXPECT_EQ(fields.at("near"), list);
  EXPECT_EQ(fields.at("distances").at("additionalProperties").at("type"), Value("number"));
}

TEST(OpenApiDocument, DescribesMessagesAsTheirJsonIs) {
  using google::protobuf::FieldDescriptorProto;
  const Value document =
      openapi_document({method<FieldDescriptorProto, google::protobuf::FileDescriptorProto>("Describe"),
                        method<google::protobuf::Timestamp, google::protobuf::Struct>("When")},
                       {});

  const Value& field = resolved(document, request_of(document, "/Describe")).at("properties");
  EXPECT_EQ(field.at("typeName"), Value::object({{"type", "string"}}));
  EXPECT_EQ(resolved(document, field.at("label")).at("enum").at(0), Value("LABEL_OPTIONAL"));
  const Value& file = resolved(document, response_of(document, "/Describe")).at("properties");
  EXPECT_EQ(file.at("messageType").at("type"), Value("array"));
  const Value& nested = resolved(document, file.at("messageType").at("items")).at("properties").at("nestedType");
  EXPECT_EQ(nested, file.at("messageType"));
  EXPECT_EQ(request_of(document, "/When"), Value::object({{"type", "string"}, {"format", "date-time"}}));
  EXPECT_EQ(response_of(document, "/When"), Value::object({{"type", "object"}}));
}

TEST(OpenApiDocument, IsARouteOfTheServerOnce) {
  Server server;

  add_openapi(server, {.path = "/api.json"});

  EXPECT_TRUE(server.has("GET /api.json"));
  EXPECT_TRUE(server.methods().empty());
  EXPECT_THROW(add_openapi(server, {.path = "/api.json"}), std::invalid_argument);
  EXPECT_THROW(add_openapi(server, {.path = "api.json"}), std::invalid_argument);
}

TEST(OpenApiDocument, IsAnErrorIfItCannotBeWritten) {
  Server server;
  add_openapi(server, {.title = "\xFF"});
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  asio::io_context context;
  asio::ip::tcp::socket socket(context);
  socket.connect({asio::ip::make_address("127.0.0.1"), endpoint.port()});

  asio::write(socket, asio::buffer(std::string("GET /openapi.json HTTP/1.0\r\nHost: h\r\n\r\n")));
  std::string answer;
  asio::error_code end;
  asio::read(socket, asio::dynamic_buffer(answer), end);

  EXPECT_TRUE(answer.starts_with("HTTP/1.1 500 Internal Server Error\r\n")) << answer;
  EXPECT_NE(answer.find("\r\n\r\nopenapi: "), std::string::npos) << answer;
}

}  // namespace
}  // namespace trunkline::service
