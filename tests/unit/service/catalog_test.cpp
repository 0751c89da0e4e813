// SPDX-License-Identifier: MIT
// Catalog: which descriptor describes a service, and that an empty pool accepts every one.
#include "service/catalog.h"

#include "offered.pb.h"
#include "trunkline/v1/health.pb.h"
#include "trunkline/v1/options.pb.h"

#include <trunkline/detail/method_shape.h>
#include <trunkline/protobuf.h>
#include <trunkline/value.h>

#include <google/protobuf/dynamic_message.h>

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

namespace trunkline::service {

namespace {

namespace protobuf = google::protobuf;
using Names = std::vector<std::string>;

template <class Request, class Response>
MethodInfo method(std::string name, MethodKind kind = MethodKind::unary) {
  return {.name = std::move(name),
          .kind = kind,
          .request_type = detail::message_type_name<Request>(),
          .response_type = detail::message_type_name<Response>(),
          .request = &MessageTraits<Request>::type(),
          .response = &MessageTraits<Response>::type()};
}

void copy_into(protobuf::DescriptorPool& pool, const Catalog& catalog, const protobuf::FileDescriptor& file) {
  if (pool.FindFileByName(file.name()) != nullptr) return;
  for (int i = 0; i < file.dependency_count(); ++i) copy_into(pool, catalog, *file.dependency(i));
  ASSERT_NE(pool.BuildFile(catalog.with_comments(file)), nullptr) << file.name();
}

/// All services of a catalog in one pool that was empty, as a client has them.
void expect_client_accepts(const Catalog& catalog) {
  protobuf::DescriptorPool pool;
  for (const std::string& service : catalog.services()) {
    const protobuf::FileDescriptor* file = catalog.pool().FindFileContainingSymbol(service);
    ASSERT_NE(file, nullptr) << service;
    copy_into(pool, catalog, *file);
    EXPECT_NE(pool.FindServiceByName(service), nullptr) << service;
  }
}

/// The comment before a service, or before one of its methods, as a client reads it.
std::string comment_of(const Catalog& catalog, const std::string& service, const std::string& method = "") {
  const protobuf::FileDescriptor* file = catalog.pool().FindFileContainingSymbol(service);
  if (file == nullptr) return "no such service";
  protobuf::DescriptorPool pool;
  copy_into(pool, catalog, *file);
  const protobuf::ServiceDescriptor* found = pool.FindServiceByName(service);
  protobuf::SourceLocation location;
  const bool is_commented = method.empty() ? found->GetSourceLocation(&location)
                                           : found->FindMethodByName(method)->GetSourceLocation(&location);
  return is_commented ? location.leading_comments : "no comment";
}

/// A message Thing, and a service Things with the method Make of it.
protobuf::FileDescriptorProto file_of_things(const std::string& name, const std::string& package) {
  protobuf::FileDescriptorProto file;
  file.set_name(name);
  file.set_package(package);
  file.add_message_type()->set_name("Thing");
  auto& service = *file.add_service();
  service.set_name("Things");
  auto& make = *service.add_method();
  make.set_name("Make");
  make.set_input_type("." + package + ".Thing");
  make.set_output_type("." + package + ".Thing");
  return file;
}

TEST(Catalog, OfNoMethodsIsEmpty) {
  const Catalog catalog({});

  EXPECT_TRUE(catalog.services().empty());
}

TEST(Catalog, DescribesDefinedServicesByTheirDefinition) {
  const Catalog catalog({method<offered::Order, offered::Receipt>("offered.Orders/Place"),
                         method<offered::Order, offered::Receipt>("offered.Orders/Follow", MethodKind::server_stream)});

  EXPECT_EQ(catalog.services(), (Names{"offered.Orders"}));
  EXPECT_EQ(catalog.pool().FindFileContainingSymbol("offered.Orders")->name(), "offered.proto");
  expect_client_accepts(catalog);
}

TEST(Catalog, PartOfADefinedServiceIsTheService) {
  const Catalog catalog({method<Slice, offered::Receipt>("offered.Orders/Place")});

  EXPECT_EQ(catalog.services(), (Names{"offered.Orders"}));
}

TEST(Catalog, GathersMethodsThatADefinitionDoesNotDescribe) {
  const Catalog catalog({method<offered::Order, offered::Receipt>("offered.Orders/Place"),
                         method<offered::Receipt, offered::Order>("offered.Orders/Follow"),
                         method<offered::Order, offered::Receipt>("offered.Orders/Extra")});

  EXPECT_EQ(catalog.services(), (Names{"offered.Orders", "trunkline.Methods"}));
  const auto* gathered = catalog.pool().FindServiceByName("trunkline.Methods");
  ASSERT_EQ(gathered->method_count(), 2);
  EXPECT_EQ(gathered->method(0)->name(), "offered_Orders_Follow");
  EXPECT_EQ(gathered->method(0)->options().GetExtension(v1::method).path(), "offered.Orders/Follow");
  EXPECT_EQ(gathered->method(0)->input_type()->full_name(), "offered.Receipt");
  EXPECT_EQ(gathered->method(1)->name(), "offered_Orders_Extra");
  expect_client_accepts(catalog);
}

TEST(Catalog, DerivesServicesOfDefinedTypes) {
  const Catalog catalog({method<offered::Order, offered::Receipt>("elsewhere.Orders/Place")});

  EXPECT_EQ(catalog.services(), (Names{"elsewhere.Orders"}));
  const auto* place = catalog.pool().FindMethodByName("elsewhere.Orders.Place");
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place->input_type()->full_name(), "offered.Order");
  EXPECT_FALSE(place->options().HasExtension(v1::method));
  expect_client_accepts(catalog);
}

TEST(Catalog, GathersMethodsWithoutAService) {
  const Catalog catalog({method<Value, Value>("echo"), method<Slice, Slice>("my echo/Say"), method<Empty, Empty>("ä"),
                         method<Empty, Empty>("ö")});

  EXPECT_EQ(catalog.services(), (Names{"trunkline.Methods"}));
  const auto* gathered = catalog.pool().FindServiceByName("trunkline.Methods");
  std::set<std::string> paths;
  for (int i = 0; i < gathered->method_count(); ++i) {
    paths.insert(gathered->method(i)->options().GetExtension(v1::method).path());
  }
  EXPECT_EQ(paths, (std::set<std::string>{"echo", "my echo/Say", "ä", "ö"}));
  EXPECT_EQ(gathered->FindMethodByName("echo")->options().GetExtension(v1::method).codec(), "json");
  expect_client_accepts(catalog);
}

TEST(Catalog, ServesOwnServicesUnderTheNamesOfGrpc) {
  const Catalog catalog({method<v1::HealthCheckRequest, v1::HealthCheckResponse>("grpc.health.v1.Health/Check")});

  EXPECT_EQ(catalog.services(), (Names{"grpc.health.v1.Health"}));
  const auto* file = catalog.pool().FindFileContainingSymbol("grpc.health.v1.Health");
  EXPECT_EQ(file->name(), "grpc/health/v1/health.proto");
  EXPECT_EQ(file->package(), "grpc.health.v1");
  EXPECT_NE(catalog.pool().FindMessageTypeByName("grpc.health.v1.HealthCheckRequest"), nullptr);
  EXPECT_NE(catalog.pool().FindEnumValueByName("grpc.health.v1.HealthCheckResponse.SERVICE_UNKNOWN"), nullptr);
  EXPECT_EQ(catalog.pool().FindMethodByName("grpc.health.v1.Health.Watch")->output_type()->full_name(),
            "grpc.health.v1.HealthCheckResponse");
  expect_client_accepts(catalog);
}

TEST(Catalog, GathersTheMethodsOfAServiceWhoseNameIsTaken) {
  const Catalog catalog({method<Slice, Slice>("offered.Order/Say"), method<Slice, Slice>("offered/Say")});

  EXPECT_EQ(catalog.services(), (Names{"trunkline.Methods"}));
  expect_client_accepts(catalog);
}

TEST(Catalog, UsesValuesWhereTypesDoNotFit) {
  static const TypeDescription text{.kind = TypeKind::text};
  static TypeDescription wide{.kind = TypeKind::structure, .name = "Wide"};
  static std::deque<std::string> names;
  // Protobuf reserves the last of these numbers.
  for (int i = 0; i < 19'000; ++i) {
    wide.fields.push_back(
        {names.emplace_back("f" + std::to_string(i)), []() -> const TypeDescription& { return text; }});
  }
  static const MessageType type{.kind = MessageKind::custom,
                                .type = &typeid(int),
                                .default_codec = "msgpack",
                                .describe = []() -> const TypeDescription& { return wide; }};
  MethodInfo info{.name = "acme.Clash/It", .request = &type, .response = &MessageTraits<Empty>::type()};

  const Catalog catalog({info});

  EXPECT_EQ(catalog.services(), (Names{"acme.Clash"}));
  EXPECT_EQ(catalog.pool().FindMethodByName("acme.Clash.It")->input_type()->full_name(), "google.protobuf.Value");
  expect_client_accepts(catalog);
}

TEST(Catalog, DescriptionsAreCommentsOfADefinition) {
  MethodInfo place = method<offered::Order, offered::Receipt>("offered.Orders/Place");
  place.description = "Buys.\n\n  At once.";
  place.service_description = "Sells things.";
  MethodInfo extra = method<offered::Order, offered::Receipt>("offered.Orders/Extra");
  extra.description = "Is not in the definition.";
  extra.service_description = "Sells other things.";

  const Catalog catalog({place, method<offered::Order, offered::Receipt>("offered.Orders/Follow"), extra});

  EXPECT_EQ(comment_of(catalog, "offered.Orders"), " Sells things.\n");
  EXPECT_EQ(comment_of(catalog, "offered.Orders", "Place"), " Buys.\n\n   At once.\n");
  EXPECT_EQ(comment_of(catalog, "offered.Orders", "Follow"), "no comment");
  EXPECT_EQ(comment_of(catalog, "trunkline.Methods"), "no comment");
  EXPECT_EQ(comment_of(catalog, "trunkline.Methods", "offered_Orders_Extra"), " Is not in the definition.\n");
}

TEST(Catalog, ADerivedServiceHasTheFirstDescriptionOfItsMethods) {
  const MethodInfo add = method<Value, Value>("acme.Echo/Add");
  MethodInfo say = method<Value, Value>("acme.Echo/Say");
  say.service_description = "Echoes.";
  MethodInfo tell = method<Value, Value>("acme.Echo/Tell");
  tell.service_description = "Of another definition.";

  EXPECT_EQ(comment_of(Catalog({add, say, tell}), "acme.Echo"), " Echoes.\n");
}

TEST(Catalog, DerivesOurOwnMethodsWhereTheirDefinitionDoesNotFit) {
  static const TypeDescription clash{.kind = TypeKind::structure, .name = "HealthCheckRequest"};
  static const MessageType type{.kind = MessageKind::custom,
                                .type = &typeid(int),
                                .default_codec = "msgpack",
                                .describe = []() -> const TypeDescription& { return clash; }};
  const MethodInfo first{.name = "grpc.health.v1.A/Check", .request = &type, .response = &MessageTraits<Empty>::type()};

  const Catalog catalog(
      {first, method<v1::HealthCheckRequest, v1::HealthCheckResponse>("grpc.health.v1.Health/Check")});

  EXPECT_EQ(catalog.services(), (Names{"grpc.health.v1.A", "grpc.health.v1.Health"}));
  const auto* check = catalog.pool().FindMethodByName("grpc.health.v1.Health.Check");
  ASSERT_NE(check, nullptr);
  EXPECT_EQ(check->input_type()->full_name(), "trunkline.v1.HealthCheckRequest");
  expect_client_accepts(catalog);
}

TEST(Catalog, DescriptionsAreCommentsOfADerivedFile) {
  MethodInfo say = method<Value, Value>("acme.Echo/my say");
  say.description = "Says it\nagain.\n";
  say.service_description = "Has no definition.";

  const Catalog catalog({say});

  EXPECT_EQ(comment_of(catalog, "acme.Echo"), " Has no definition.\n");
  EXPECT_EQ(comment_of(catalog, "acme.Echo", "my_say"), " Says it\n again.\n");
}

TEST(Catalog, CommentsOfTheDefinitionItselfStay) {
  protobuf::FileDescriptorProto file = file_of_things("commented.proto", "commented");
  const auto locate = [&](std::initializer_list<int> path) -> auto& {
    auto& location = *file.mutable_source_code_info()->add_location();
    for (const int step : path) location.add_path(step);
    for (const int place : {1, 2, 3}) location.add_span(place);
    return location;
  };
  locate({6, 0}).set_leading_comments(" Its own.\n");
  locate({6, 0, 2, 0});
  static protobuf::DescriptorPool pool;
  ASSERT_NE(pool.BuildFile(file), nullptr);
  static const MessageType type{
      .kind = MessageKind::protobuf,
      .type = &typeid(protobuf::DescriptorPool),
      .default_codec = "protobuf",
      .descriptor = []() -> const void* { return pool.FindMessageTypeByName("commented.Thing"); }};

  const Catalog catalog({{.name = "commented.Things/Make",
                          .request_type = "commented.Thing",
                          .response_type = "commented.Thing",
                          .request = &type,
                          .response = &type,
                          .description = "Makes one.",
                          .service_description = "Another."}});

  EXPECT_EQ(comment_of(catalog, "commented.Things"), " Its own.\n");
  EXPECT_EQ(comment_of(catalog, "commented.Things", "Make"), " Makes one.\n");
  const auto told = catalog.with_comments(*catalog.pool().FindFileContainingSymbol("commented.Things"));
  ASSERT_EQ(told.source_code_info().location_size(), 2) << "one for each part";
  EXPECT_EQ(told.source_code_info().location(1).span(0), 1);
}

TEST(Catalog, ImportsTypesOfOtherPools) {
  const protobuf::FileDescriptorProto file = file_of_things("made/at/run/time.proto", "made");
  static protobuf::DescriptorPool pool;
  ASSERT_NE(pool.BuildFile(file), nullptr);
  static const MessageType type{.kind = MessageKind::protobuf,
                                .type = &typeid(protobuf::DynamicMessageFactory),
                                .default_codec = "protobuf",
                                .descriptor = []() -> const void* { return pool.FindMessageTypeByName("made.Thing"); }};
  const MethodInfo info{.name = "made.Things/Make",
                        .request_type = "made.Thing",
                        .response_type = "made.Thing",
                        .request = &type,
                        .response = &type};

  const Catalog catalog({info});

  EXPECT_EQ(catalog.services(), (Names{"made.Things"}));
  EXPECT_EQ(catalog.pool().FindFileContainingSymbol("made.Things")->name(), "made/at/run/time.proto");
  expect_client_accepts(catalog);
}

}  // namespace

}  // namespace trunkline::service
