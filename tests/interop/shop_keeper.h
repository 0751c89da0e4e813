// SPDX-License-Identifier: MIT
// ShopKeeper: serves shop.v1.Orders, as the class Keeper in js/tests/kit/console_service.py does.
#pragma once

#include "shop.trunkline.h"

namespace trunkline::interop {

class ShopKeeper final : public shop::v1::Orders::Service {
 public:
  /// invalid_argument with a detail if there are no lines. The metadata "who" comes back as "shop-who".
  Result<shop::v1::Order> place(const shop::v1::PlaceRequest& request, ServerContext& context);
  /// not_found for the number 7.
  Result<shop::v1::Order> get(const shop::v1::GetRequest& request, ServerContext& context);
  Result<shop::v1::Order> find(const shop::v1::GetRequest& request, ServerContext& context);
  /// A price every 20 ms, in cents from 1 on.
  asio::awaitable<Status> watch_price(const shop::v1::WatchPriceRequest& request, ServerWriter<shop::v1::Price>& prices,
                                      ServerContext& context);
  asio::awaitable<Status> total(ServerReader<shop::v1::Line>& lines, shop::v1::TotalResponse& response,
                                ServerContext& context);
  asio::awaitable<Status> chat(ServerStream<shop::v1::ChatMessage, shop::v1::ChatMessage>& stream,
                               ServerContext& context);
};

}  // namespace trunkline::interop
