// SPDX-License-Identifier: MIT
// What a client with protobuf asks and what a server with protobuf answers: one type for each work of the contest.
#pragma once

#include "contest.pb.h"
#include "letters.h"
#include "pace.h"

#include <array>

namespace trunkline::contest {

/// echo, mixed, long_tail and fan_out.
class EchoWork {
 public:
  using Request = ::contest::EchoMessage;
  using Response = ::contest::EchoMessage;

  explicit EchoWork(const Options& options) {
    small_.set_payload(letters(options.bytes));
    delayed_ = small_;
    delayed_.set_delay_us(tail_delay_us);
    if (options.is("mixed")) large_.set_payload(letters(large_bytes));
  }

  const Request& request(const Turn& turn) const {
    if (turn.is_large) return large_;
    return turn.is_delayed ? delayed_ : small_;
  }
  bool is_right(const Turn& turn, const Response& answer) const {
    const auto& asked = request(turn).payload();
    return answer.payload().size() == asked.size() && (!turn.is_sampled || answer.payload() == asked);
  }
  static void answer(const Request& request, Response& response) { response.set_payload(request.payload()); }

 private:
  Request small_;
  Request delayed_;
  Request large_;
};

/// text and stream.
class TextWork {
 public:
  using Request = ::contest::TextMessage;
  using Response = ::contest::TextMessage;

  explicit TextWork(const Options& options) { request_.set_msg(letters(options.bytes)); }

  const Request& request(const Turn&) const { return request_; }
  bool is_right(const Turn& turn, const Response& answer) const {
    return answer.msg().size() == request_.msg().size() && (!turn.is_sampled || answer.msg() == request_.msg());
  }
  static void answer(const Request& request, Response& response) { response.set_msg(request.msg()); }

 private:
  Request request_;
};

/// multiply and oneway.
class MultiplyWork {
 public:
  using Request = ::contest::Factors;
  using Response = ::contest::Product;

  explicit MultiplyWork(const Options&) {
    for (std::size_t index = 0; index < factors_.size(); ++index) {
      factors_[index].set_a(static_cast<std::int32_t>(1000 + index));
      factors_[index].set_b(static_cast<std::int32_t>(2000 - 7 * index));
    }
  }

  const Request& request(const Turn& turn) const { return factors_[turn.number % factors_.size()]; }
  bool is_right(const Turn& turn, const Response& answer) const {
    return answer.pro() == request(turn).a() * request(turn).b();
  }
  static void answer(const Request& request, Response& response) { response.set_pro(request.a() * request.b()); }

 private:
  std::array<Request, 64> factors_;
};

/// object.
class ObjectWork {
 public:
  using Request = ::contest::PersonName;
  using Response = ::contest::Person;

  explicit ObjectWork(const Options&) { request_.set_name(person::name); }

  const Request& request(const Turn&) const { return request_; }
  bool is_right(const Turn&, const Response& answer) const {
    return answer.name() == person::name && answer.id() == person::id && answer.age() == person::age;
  }
  static void answer(const Request& request, Response& response) {
    response.set_id(person::id);
    response.set_name(request.name());
    response.set_email(person::email);
    response.set_phone(person::phone);
    response.set_city(person::city);
    response.set_company(person::company);
    response.set_age(person::age);
  }

 private:
  Request request_;
};

}  // namespace trunkline::contest
