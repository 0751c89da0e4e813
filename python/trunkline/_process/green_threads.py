# SPDX-License-Identifier: MIT
"""check_real_threads: refuses threads that gevent or eventlet have replaced by greenlets."""

from __future__ import annotations

import sys
from typing import Any


def check_real_threads(what: str) -> None:
    """Raises RuntimeError if the threads of this process are greenlets. ``what`` is what needs a thread: it waits in the
    core, where it would hold up all greenlets for ever."""
    culprit = _replaced_by()
    if culprit is not None:
        raise RuntimeError(
            f"{what} needs a thread, and {culprit} has replaced the threads of this process by greenlets, which a thread "
            f"that waits in trunkline would stop for ever. Patch without threads: {_REMEDIES[culprit]}"
        )


_REMEDIES = {
    "gevent": "gevent.monkey.patch_all(thread=False)",
    "eventlet": "eventlet.monkey_patch(thread=False)",
}


def _replaced_by() -> str | None:
    monkey: Any = sys.modules.get("gevent.monkey")
    if monkey is not None and monkey.is_module_patched("threading"):
        return "gevent"
    patcher: Any = sys.modules.get("eventlet.patcher")
    if patcher is not None and patcher.is_monkey_patched("thread"):
        return "eventlet"
    return None
