# SPDX-License-Identifier: MIT
"""MethodDefinition: one method of a service as its ``.proto`` file defines it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Generic, Literal, get_args, overload

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Request = TypeVar("Request", default=Any)
    Response = TypeVar("Response", default=Any)
else:
    from typing import TypeVar

    Request = TypeVar("Request")
    Response = TypeVar("Response")

Kind = Literal["unary", "client_stream", "server_stream", "bidirectional"]

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclasses.dataclass(frozen=True)
class MethodDefinition(Generic[Request, Response]):
    """One method of a service as its definition states it. Immutable.

    Generated classes hold their definitions in ``__trunkline_methods__``, by the names of their functions. A
    ``UnaryMethod`` and the like bind one to a channel. Raises TypeError for a name that is not a str, ValueError for an
    unknown kind.
    """

    #: The full name on the wire, e.g. ``example.Hello/Greet``.
    name: str
    #: The kind of the method: ``unary``, ``client_stream``, ``server_stream`` or ``bidirectional``.
    kind: Kind
    #: The types of its messages: anything that is allowed as a type hint of a handler.
    request: type[Request]
    response: type[Response]
    _: dataclasses.KW_ONLY
    #: The method may run more than once without harm, so its calls may be retried; see ``CallOptions``.
    idempotent: bool = False
    #: The method changes nothing, so HTTP may call it by GET. It is idempotent as well.
    no_side_effects: bool = False
    #: The definition marks the method as deprecated. This has no effect at run time.
    deprecated: bool = False

    if TYPE_CHECKING:

        @overload
        def __init__(
            self,
            name: str,
            kind: Kind,
            request: type[Request],
            response: type[Response],
            *,
            idempotent: bool = ...,
            no_side_effects: bool = ...,
            deprecated: bool = ...,
        ) -> None: ...
        @overload
        def __init__(
            self: MethodDefinition[Any, Any],
            name: str,
            kind: Kind,
            request: Any,
            response: Any,
            *,
            idempotent: bool = ...,
            no_side_effects: bool = ...,
            deprecated: bool = ...,
        ) -> None: ...
        def __init__(self, *arguments: Any, **options: Any) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"the name of a method is a non-empty str, not {self.name!r}")
        if self.kind not in KINDS:
            raise ValueError(f"method {self.name}: its kind {self.kind!r} is not one of {', '.join(KINDS)}")
        if self.no_side_effects:
            object.__setattr__(self, "idempotent", True)
