# SPDX-License-Identifier: MIT
"""MethodDefinition: what generated code says of one method."""

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
    """One method of a service, as its definition has it. Immutable.

    Generated classes have them in ``__trunkline_methods__``, by the names of their functions; ``UnaryMethod`` and the
    like are made of one. Raises TypeError and ValueError for a name that is no text and a kind that there is not.
    """

    #: On the wire, whole: ``example.Hello/Greet``.
    name: str
    #: ``unary``, ``client_stream``, ``server_stream`` or ``bidirectional``.
    kind: Kind
    #: The classes of its messages; anything that a type hint of a handler may be.
    request: type[Request]
    response: type[Response]
    _: dataclasses.KW_ONLY
    #: May run more than once without harm: calls of it may be repeated, see ``CallOptions``.
    idempotent: bool = False
    #: Callers should find another one. Nothing depends on it.
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
            deprecated: bool = ...,
        ) -> None: ...
        def __init__(self, *arguments: Any, **options: Any) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"a method's name is a text, not {self.name!r}")
        if self.kind not in KINDS:
            raise ValueError(f"method {self.name}: its kind {self.kind!r} is none of {', '.join(KINDS)}")
