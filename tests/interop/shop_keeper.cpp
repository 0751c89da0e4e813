// SPDX-License-Identifier: MIT
// What the methods of shop.v1.Orders do.
#include "shop_keeper.h"

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <limits>

namespace trunkline::interop {

Result<shop::v1::Order> ShopKeeper::place(const shop::v1::PlaceRequest& request, ServerContext& context) {
  if (request.lines().empty()) {
    shop::v1::Line line;
    line.set_article("none");
    Status status(StatusCode::invalid_argument, "place: the order has no lines");
    return add_detail(status, line);
  }
  context.add_leading_metadata("shop-region", "north");
  context.add_trailing_metadata("shop-who", context.metadata().get("who").value_or(""));
  shop::v1::Order order;
  order.set_number(std::numeric_limits<std::uint64_t>::max());
  *order.mutable_request() = request;
  order.set_total(12.5);
  return order;
}

Result<shop::v1::Order> ShopKeeper::get(const shop::v1::GetRequest& request, ServerContext&) {
  if (request.number() == 7) return Status(StatusCode::not_found, "get: order 7 is not known");
  shop::v1::Order order;
  order.set_number(request.number());
  return order;
}

Result<shop::v1::Order> ShopKeeper::find(const shop::v1::GetRequest& request, ServerContext& context) {
  return get(request, context);
}

asio::awaitable<Status> ShopKeeper::watch_price(const shop::v1::WatchPriceRequest& request,
                                                ServerWriter<shop::v1::Price>& prices, ServerContext& context) {
  asio::steady_timer timer(context.executor());
  shop::v1::Price price;
  price.set_article(request.article());
  for (std::int64_t cents = 1; request.limit() == 0 || cents <= request.limit(); ++cents) {
    price.set_cents(cents);
    if (Status written = co_await prices.async_write(price, asio::use_awaitable); !written) co_return written;
    timer.expires_after(std::chrono::milliseconds(20));
    co_await timer.async_wait(asio::use_awaitable);
  }
  co_return Status::ok();
}

asio::awaitable<Status> ShopKeeper::total(ServerReader<shop::v1::Line>& lines, shop::v1::TotalResponse& response,
                                          ServerContext&) {
  for (;;) {
    Result<std::optional<shop::v1::Line>> line = co_await lines.async_read(asio::use_awaitable);
    if (!line) co_return line.status();
    if (!line->has_value()) co_return Status::ok();
    response.set_amount(response.amount() + (*line)->amount());
  }
}

asio::awaitable<Status> ShopKeeper::chat(ServerStream<shop::v1::ChatMessage, shop::v1::ChatMessage>& stream,
                                         ServerContext&) {
  shop::v1::ChatMessage answer;
  for (;;) {
    Result<std::optional<shop::v1::ChatMessage>> message = co_await stream.async_read(asio::use_awaitable);
    if (!message) co_return message.status();
    if (!message->has_value()) co_return Status::ok();
    answer.set_text("you said: " + (*message)->text());
    if (Status written = co_await stream.async_write(answer, asio::use_awaitable); !written) co_return written;
  }
}

}  // namespace trunkline::interop
