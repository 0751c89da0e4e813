// SPDX-License-Identifier: MIT
// Feeds frames to a session, and collects its frames and events.
#include "kit/lone_session.h"

#include <algorithm>

namespace trunkline::kit {

LoneSession::LoneSession(session::Role role, const session::SessionOptions& options,
                         std::shared_ptr<session::MemoryAccount> account)
    : end_(role, options, timers_, clock_.now(), std::move(account)) {
  end_.on_event = [this](session::Event& event) { on_event(event); };
}

void LoneSession::on_event(session::Event& event) {
  SeenEvent seen{.type = event.type,
                 .id = event.id,
                 .context = event.context,
                 .has_message = event.has_message,
                 .end = event.end,
                 .one_way = event.one_way,
                 .needs_finish = event.needs_finish,
                 .payload = std::string(as_text(event.payload)),
                 .codec = event.codec != nullptr ? std::string(event.codec->name()) : std::string(),
                 .method = std::string(event.method_name),
                 .method_number = event.method_number,
                 .deadline = event.deadline,
                 .credit = event.credit,
                 .metadata = event.metadata,
                 .status = event.status};
  events_.push_back(std::move(seen));
  if (retain_messages && event.has_message) event.is_retained = true;
  if (queue_messages && event.has_message) event.is_queued = true;
  if (event.type != session::EventType::call || on_call == OnCall::ignore) return;
  if (on_call == OnCall::attach) {
    session().attach(event.id, context_of(event.id));
  } else if (!event.status.is_ok()) {
    static_cast<void>(session().finish(event.id, event.status, {}, nullptr, true));
  } else {
    static_cast<void>(session().finish(event.id, {}, payload(as_text(event.payload)), nullptr, false));
  }
}

void LoneSession::greet(const wire::Hello& hello) {
  feed(greeting(hello));
  static_cast<void>(sent_frames());
  static_cast<void>(events());
}

void LoneSession::feed(std::string_view bytes, std::size_t part) {
  while (!bytes.empty()) {
    const std::size_t taken = end_.feed(bytes.substr(0, std::min(part, bytes.size())), clock_.now());
    if (taken == 0) return;
    bytes.remove_prefix(taken);
    end_.turn();
  }
}

void LoneSession::feed(std::initializer_list<FrameSpec> frames) {
  std::string bytes;
  for (const FrameSpec& frame : frames) bytes += frame.bytes();
  feed(bytes);
}

void LoneSession::advance(base::Duration by) {
  pass(by);
  end_.turn();
}

void LoneSession::pass(base::Duration by) {
  clock_.advance(by);
  timers_.advance(clock_.now());
}

std::vector<SeenFrame> LoneSession::sent_frames() { return reader_.read(end_.take_output()); }

std::vector<SeenEvent> LoneSession::events() {
  end_.turn();
  return std::exchange(events_, {});
}

}  // namespace trunkline::kit
