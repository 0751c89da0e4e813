# SPDX-License-Identifier: MIT
"""What the calls of a run say: how many failed and how, and when traffic was level again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from calls import Call, Outcome
from event import Event, Span

#: Traffic is looked at in windows of so many seconds.
WINDOW, STEP = 2.0, 0.1
#: It is level if each server has served so much of an equal share, or more. two_choices does not strive for equal
#: shares: where it is used, this only says that every server takes part, and is not required, because a server that was
#: silent gets no calls until its latency is forgotten.
LEAST_SHARE = {"round_robin": 0.8, "two_choices": 0.02}
#: A call that took longer was held up.
HELD_UP = 0.5


@dataclass(frozen=True)
class Traffic:
    calls: int
    failed_idempotent: int
    possibly_run: int
    not_run: int
    slowest: float
    #: Seconds from the beginning of the event until the last call had begun that failed or was held up.
    disturbed: float
    #: Seconds from the end of the event. None: not within what was observed.
    level_after: float | None
    problems: tuple[str, ...]


def level_after(calls: Sequence[Call], since: float, servers: int, policy: str) -> float | None:
    """Seconds from `since`; None: never."""
    end = max(call.begun for call in calls)
    for step in range(int((end - since - WINDOW) / STEP) + 1):
        begin = since + step * STEP
        window = Counter(call.server for call in calls if begin <= call.begun < begin + WINDOW and call.is_ok)
        least = LEAST_SHARE[policy] * window.total() / servers
        if window and min(window[number] for number in range(1, servers + 1)) >= least:
            return begin - since
    return None


def problems_of(call: Call, event: Event, span: Span, times_run: int) -> list[str]:
    problems = []
    what = f"call {call.number}, begun {call.begun - span.begun:+.3f} s after the event"
    if call.outcome in (Outcome.BEGUN, Outcome.NONE):
        problems.append(f"{what}: has never ended")
    if call.outcome == Outcome.WRONG:
        problems.append(f"{what}: got the response to another call")
    if call.is_ok and times_run == 0:
        problems.append(f"{what}: has not run, but its caller was told that it has")
    if call.outcome == Outcome.NOT_RUN and times_run > 0:
        problems.append(f"{what}: has run, but its caller was told that it has not")
    if times_run > 1 and not call.is_idempotent:
        problems.append(f"{what}: has run {times_run} times")
    if call.outcome in (Outcome.POSSIBLY_RUN, Outcome.NOT_RUN):
        if call.is_idempotent or not event.may_lose_calls or call.outcome == Outcome.NOT_RUN:
            problems.append(f"{what}: failed with code {call.code}")
        elif call.begun > span.begun + event.detected_within or call.ended < span.begun:
            problems.append(f"{what}: failed with code {call.code}, but was not on the server that the event concerns")
    return problems


def measure(
    calls: Sequence[Call], event: Event, span: Span, servers: int, policy: str, times_run: Callable[[Call], int]
) -> Traffic:
    failed = [call for call in calls if not call.is_ok]
    troubled = [call for call in calls if call.ended >= span.begun and (not call.is_ok or call.seconds > HELD_UP)]
    problems = [problem for call in calls for problem in problems_of(call, event, span, times_run(call))]
    if level_after(calls, calls[0].begun, servers, policy) is None:
        problems.append("traffic was never level")
    level = level_after(calls, span.over, servers, policy)
    if level is None and policy != "two_choices":
        problems.append("traffic was not level again")
    return Traffic(
        calls=len(calls),
        failed_idempotent=sum(call.is_idempotent for call in failed),
        possibly_run=sum(call.outcome == Outcome.POSSIBLY_RUN and not call.is_idempotent for call in failed),
        not_run=sum(call.outcome == Outcome.NOT_RUN and not call.is_idempotent for call in failed),
        slowest=max(call.seconds for call in calls),
        disturbed=max((max(0.0, call.begun - span.begun) for call in troubled), default=0.0),
        level_after=level,
        problems=tuple(problems),
    )
