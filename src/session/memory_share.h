// SPDX-License-Identifier: MIT
// MemoryShare: what one session has taken of a MemoryBudget.
#pragma once

#include "session/memory_account.h"
#include "session/memory_budget.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace trunkline::session {

/// The share belongs to the thread of its session. A session that holds little takes nothing, and more is taken in
/// steps, so a busy session with short messages seldom touches the budget. Without a budget there is no limit.
class MemoryShare {
 public:
  /// Says where room is lacking: in the share of the peer's address, or in the budget.
  enum class Shortage : std::uint8_t { nothing, account, budget };

  /// A connection that holds no more than this is not counted.
  static constexpr std::size_t free_bytes = 16 << 10;

  /// `budget` may be null, and outlives the object. `account` counts what the peer's address holds of the budget, and
  /// may be null as well.
  explicit MemoryShare(MemoryBudget* budget, std::shared_ptr<MemoryAccount> account = nullptr) noexcept
      : budget_(budget), account_(budget != nullptr ? std::move(account) : nullptr) {}
  ~MemoryShare() {
    free_reserve();
    end_frame();
    set_waiting(Shortage::nothing);
    update(0);
  }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  /// The session holds `bytes` now, even if the budget has less. `room` of them have yet to come, and `withheld` of
  /// them have come of messages without room.
  void update(std::size_t bytes, std::size_t room = 0, std::size_t withheld = 0) noexcept {
    const std::size_t wanted = rounded(bytes);
    const std::size_t wanted_room = std::min(wanted, room / step * step);
    const std::size_t wanted_withheld = std::min(wanted - wanted_room, withheld / step * step);
    if (wanted != taken_ || wanted_room != room_) [[unlikely]]
      set(wanted, wanted_room);
    if (wanted_withheld != withheld_) [[unlikely]]
      set_withheld(wanted_withheld);
  }
  /// Takes `bytes` for a message that is about to be received. update() counts them from then on.
  bool try_take(std::size_t bytes) noexcept {
    return try_take(bytes, [this, bytes] {
      if (budget_->try_add(bytes)) return true;
      if (has_reserve_ || !budget_->try_add_from_reserve(bytes, this)) return false;
      return has_reserve_ = true;
    });
  }
  /// Takes `bytes` for the request of a new call, for which there is less room because its handler will keep it.
  bool try_take_for_request(std::size_t bytes) noexcept {
    if (account_ != nullptr && !account_->try_add_request(bytes)) return fall_short(Shortage::account);
    if (account_ != nullptr) account_->subtract(bytes);
    return try_take(bytes, [this, bytes] { return budget_->try_add_request(bytes); });
  }
  /// Takes `bytes` for a request that has waited for long, for which there is a little more room.
  bool try_take_for_late_request(std::size_t bytes) noexcept {
    return try_take(bytes, [this, bytes] { return budget_->try_add_late_request(bytes); });
  }
  /// Takes `bytes` for a part of a message of which at most `rest` has yet to come. If others have used up the memory,
  /// takes all of `rest`, as one message at a time may. Returns how much it has taken, or 0.
  std::size_t try_take_up_to(std::size_t bytes, std::size_t rest) noexcept {
    const bool is_within = account_ == nullptr || account_->try_add(bytes);
    if (is_within && account_ != nullptr) account_->subtract(bytes);
    if (is_within && try_take(bytes, [this, bytes] { return budget_->try_add(bytes); })) return bytes;
    return try_take(rest) ? rest : 0;
  }
  /// Gives back the reserve and the reservation. Call it once no message for which try_take() took memory is
  /// unfinished.
  void free_reserve() noexcept {
    if (std::exchange(has_reserve_, false)) budget_->free_reserve(this);
    if (std::exchange(has_message_reservation_, false)) account_->message_reservation().free(this);
  }
  /// Returns why the last try_take() or try_take_for_...() that returned false has done so.
  Shortage shortage() const noexcept { return shortage_; }
  /// Notes where messages of this session wait for room.
  void set_waiting(Shortage shortage) noexcept {
    if (budget_ == nullptr || shortage == waits_for_) return;
    if (waits_for_ == Shortage::budget) budget_->subtract_waiting();
    if (waits_for_ == Shortage::account) account_->subtract_waiting();
    if (shortage == Shortage::budget) budget_->add_waiting();
    if (shortage == Shortage::account) account_->add_waiting();
    waits_for_ = shortage;
  }
  /// Messages of other sessions, or of this one, wait for room that this session takes. Where only the share of an
  /// address is used up, that concerns the sessions of this address alone.
  bool is_wanted() const noexcept {
    return budget_ != nullptr && (budget_->has_waiting() || (account_ != nullptr && account_->has_waiting()));
  }

  std::size_t taken() const noexcept { return taken_; }
  /// Returns what a session that holds `bytes` takes of the budget.
  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return bytes <= free_bytes ? 0 : (bytes + step - 1) / step * step;
  }
  /// New calls have to wait or are refused. A session that holds nothing is not affected as long as there is some
  /// memory, and its address does not hold far too much.
  bool is_short() const noexcept {
    if (budget_ == nullptr) return false;
    if (taken_ > 0) return is_short_for_holders();
    return budget_->is_short() && (budget_->is_short_for_all() || (account_ != nullptr && account_->is_exceeded()));
  }
  /// New calls of a session that holds something have to wait or are refused. A session whose address holds little is
  /// not refused because others hold much.
  bool is_short_for_holders() const noexcept {
    if (budget_ == nullptr) return false;
    if (is_account_used_up()) return true;
    return budget_->is_short() && (account_ == nullptr || account_->is_large() || budget_->is_short_for_all());
  }
  /// The share of the peer's address is used up, whatever others hold.
  bool is_account_used_up() const noexcept { return account_ != nullptr && account_->is_used_up(); }
  bool is_used_up() const noexcept { return is_budget_used_up() || is_account_used_up(); }
  bool is_budget_used_up() const noexcept { return budget_ != nullptr && budget_->is_used_up(); }
  /// While is_used_up(), returns true if a long frame that has begun may be received, until end_frame(). The budget and
  /// each account allow one such frame at a time. After false the session holds no reservation: two sessions that each
  /// held one would wait for each other.
  bool try_begin_frame() noexcept {
    has_frame_reservation_ = true;
    const bool has_accounts_reservation = !is_account_used_up() || account_->frame_reservation().try_take(this);
    if (has_accounts_reservation && (!budget_->is_used_up() || budget_->frame_reservation().try_take(this)))
      return true;
    end_frame();
    return false;
  }
  void end_frame() noexcept {
    if (!std::exchange(has_frame_reservation_, false)) return;
    budget_->frame_reservation().free(this);
    if (account_ != nullptr) account_->frame_reservation().free(this);
  }

 private:
  static constexpr std::size_t step = 64 << 10;

  /// Takes `bytes` of the account, for one message at a time beyond the share, if `take_from_budget` takes them too.
  template <class Take>
  bool try_take(std::size_t bytes, Take take_from_budget) noexcept {
    if (budget_ != nullptr) {
      bool is_beyond = false;
      if (account_ != nullptr && !account_->try_add(bytes)) {
        if (has_message_reservation_ || !account_->message_reservation().try_take(this))
          return fall_short(Shortage::account);
        is_beyond = true;
        account_->add(bytes);
      }
      if (!take_from_budget()) {
        if (account_ != nullptr) account_->subtract(bytes);
        if (is_beyond) account_->message_reservation().free(this);
        return fall_short(Shortage::budget);
      }
      has_message_reservation_ = has_message_reservation_ || is_beyond;
      budget_->add_room(bytes);
      if (account_ != nullptr) account_->add_room(bytes);
    }
    taken_ += bytes;
    room_ += bytes;
    return true;
  }
  bool fall_short(Shortage shortage) noexcept {
    shortage_ = shortage;
    return false;
  }
  /// Room is subtracted before used bytes are, so that others never see more room than is used.
  void set(std::size_t wanted, std::size_t wanted_room) noexcept {
    const auto apply = [&](MemoryCount& counts) {
      if (wanted_room < room_) counts.subtract_room(room_ - wanted_room);
      if (wanted != taken_) wanted > taken_ ? counts.add(wanted - taken_) : counts.subtract(taken_ - wanted);
      if (wanted_room > room_) counts.add_room(wanted_room - room_);
    };
    if (budget_ != nullptr) apply(*budget_);
    if (account_ != nullptr) apply(*account_);
    taken_ = wanted;
    room_ = wanted_room;
  }

  void set_withheld(std::size_t wanted) noexcept {
    const auto apply = [&](MemoryCount& counts) {
      wanted > withheld_ ? counts.add_withheld(wanted - withheld_) : counts.subtract_withheld(withheld_ - wanted);
    };
    if (budget_ != nullptr) apply(*budget_);
    if (account_ != nullptr) apply(*account_);
    withheld_ = wanted;
  }

  MemoryBudget* const budget_;
  const std::shared_ptr<MemoryAccount> account_;
  std::size_t taken_ = 0;
  /// This part of taken_ is room for messages.
  std::size_t room_ = 0;
  /// This part of taken_ belongs to messages without room.
  std::size_t withheld_ = 0;
  bool has_reserve_ = false;
  bool has_message_reservation_ = false;
  bool has_frame_reservation_ = false;
  Shortage waits_for_ = Shortage::nothing;
  Shortage shortage_ = Shortage::nothing;
};

}  // namespace trunkline::session
