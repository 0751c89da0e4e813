// SPDX-License-Identifier: MIT
// NameServer: a DNS server on loopback, over UDP and TCP, that answers as the test says.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::naming::dns {

/// Runs on the loop of the test.
class NameServer {
 public:
  using Bytes = std::vector<unsigned char>;
  enum : int { type_a = 1, type_cname = 5, type_txt = 16, type_aaaa = 28, type_srv = 33 };
  enum : int { no_error = 0, server_failure = 2, no_such_name = 3 };

  struct Record {
    /// Empty: that of the question.
    std::string name{};
    int type = type_a;
    unsigned ttl = 60;
    Bytes data{};
  };
  struct Answer {
    int code = no_error;
    std::vector<Record> records{};
    bool is_silent = false;
    bool is_truncated_over_udp = false;
  };

  explicit NameServer(asio::io_context& context) : udp_(context), acceptor_(context) {
    while (!take_port()) {
    }
    receive();
    accept();
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(udp_.local_endpoint().port()); }

  static Bytes name_bytes(const std::string& name) {
    Bytes bytes;
    for (std::size_t begin = 0; begin < name.size();) {
      const auto end = std::min(name.find('.', begin), name.size());
      bytes.push_back(static_cast<unsigned char>(end - begin));
      bytes.insert(bytes.end(), name.begin() + static_cast<long>(begin), name.begin() + static_cast<long>(end));
      begin = end + 1;
    }
    bytes.push_back(0);
    return bytes;
  }
  static Bytes service(unsigned char priority, unsigned char weight, unsigned char port, const std::string& host) {
    Bytes bytes{0, priority, 0, weight, 0, port};
    const Bytes name = name_bytes(host);
    bytes.insert(bytes.end(), name.begin(), name.end());
    return bytes;
  }

  /// A TXT record of one or more strings.
  static Bytes text(const std::vector<std::string>& strings) {
    Bytes bytes;
    for (const std::string& string : strings) {
      bytes.push_back(static_cast<unsigned char>(string.size()));
      bytes.insert(bytes.end(), string.begin(), string.end());
    }
    return bytes;
  }

  /// What is asked for and is not here gets `otherwise`. Names are without the last dot.
  std::map<std::pair<std::string, int>, Answer> answers{};
  Answer otherwise{.code = no_such_name};
  /// How many of the next questions are lost.
  int lost_questions = 0;
  int udp_questions = 0;
  /// Each is in here once, however often it was asked.
  std::set<std::pair<std::string, int>> questions{};
  int tcp_questions = 0;

 private:
  /// A port that is free for UDP may be in use for TCP.
  bool take_port() {
    const auto address = asio::ip::make_address("127.0.0.1");
    acceptor_ = asio::ip::tcp::acceptor(acceptor_.get_executor(), {address, 0});
    udp_ = asio::ip::udp::socket(udp_.get_executor(), asio::ip::udp::v4());
    asio::error_code error;
    udp_.bind({address, acceptor_.local_endpoint().port()}, error);
    if (error && error != asio::error::address_in_use) throw asio::system_error(error, "bind");
    return !error;
  }

  struct Stream {
    explicit Stream(asio::ip::tcp::socket accepted) : socket(std::move(accepted)) {}
    asio::ip::tcp::socket socket;
    std::array<unsigned char, 2> size{};
    Bytes message{};
  };

  static void append(Bytes& bytes, unsigned value, int count) {
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<unsigned char>(value >> shift & 0xFF));
    }
  }
  /// Empty: there is none.
  Bytes answer_to(const Bytes& question, bool is_udp) {
    std::string name;
    std::size_t at = 12;
    for (; question[at] != 0; at += question[at] + 1u) {
      if (!name.empty()) name += '.';
      name.append(question.begin() + static_cast<long>(at) + 1,
                  question.begin() + static_cast<long>(at) + 1 + question[at]);
    }
    const int type = question[at + 1] << 8 | question[at + 2];
    questions.emplace(name, type);
    const auto known = answers.find({name, type});
    const Answer& answer = known == answers.end() ? otherwise : known->second;
    if (answer.is_silent) return {};
    const bool is_truncated = is_udp && answer.is_truncated_over_udp;
    Bytes bytes(question.begin(), question.begin() + 2);
    append(bytes, is_truncated ? 0x8380u : 0x8180u | static_cast<unsigned>(answer.code), 2);
    append(bytes, 1, 2);
    append(bytes, is_truncated ? 0 : static_cast<unsigned>(answer.records.size()), 2);
    append(bytes, 0, 4);
    bytes.insert(bytes.end(), question.begin() + 12, question.begin() + static_cast<long>(at) + 5);
    if (is_truncated) return bytes;
    for (const Record& record : answer.records) {
      const Bytes owner = record.name.empty() ? Bytes{0xC0, 12} : name_bytes(record.name);
      bytes.insert(bytes.end(), owner.begin(), owner.end());
      append(bytes, static_cast<unsigned>(record.type), 2);
      append(bytes, 1, 2);
      append(bytes, record.ttl, 4);
      append(bytes, static_cast<unsigned>(record.data.size()), 2);
      bytes.insert(bytes.end(), record.data.begin(), record.data.end());
    }
    return bytes;
  }

  void receive() {
    datagram_.resize(4096);
    udp_.async_receive_from(asio::buffer(datagram_), sender_, [this](const asio::error_code& error, std::size_t size) {
      if (error) return;
      datagram_.resize(size);
      ++udp_questions;
      if (lost_questions > 0) return --lost_questions, receive();
      const Bytes answer = answer_to(datagram_, true);
      if (!answer.empty()) udp_.send_to(asio::buffer(answer), sender_);
      receive();
    });
  }
  void accept() {
    acceptor_.async_accept([this](const asio::error_code& error, asio::ip::tcp::socket socket) {
      if (error) return;
      read(std::make_shared<Stream>(std::move(socket)));
      accept();
    });
  }
  void read(const std::shared_ptr<Stream>& stream) {
    asio::async_read(stream->socket, asio::buffer(stream->size),
                     [this, stream](const asio::error_code& error, std::size_t) {
                       if (error) return;
                       stream->message.resize(static_cast<std::size_t>(stream->size[0] << 8 | stream->size[1]));
                       asio::async_read(stream->socket, asio::buffer(stream->message),
                                        [this, stream](const asio::error_code& failure, std::size_t) {
                                          if (failure) return;
                                          ++tcp_questions;
                                          const Bytes answer = answer_to(stream->message, false);
                                          Bytes framed;
                                          append(framed, static_cast<unsigned>(answer.size()), 2);
                                          framed.insert(framed.end(), answer.begin(), answer.end());
                                          asio::write(stream->socket, asio::buffer(framed));
                                          read(stream);
                                        });
                     });
  }

  asio::ip::udp::socket udp_;
  asio::ip::tcp::acceptor acceptor_;
  Bytes datagram_;
  asio::ip::udp::endpoint sender_;
};

}  // namespace trunkline::naming::dns
