# SPDX-License-Identifier: MIT
"""The types of ``grpc.aio`` that packages use in annotations: see ``_compatibility``."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from typing import Any, TypeVar, Union

from .aio import EOF, Metadata

RequestType = TypeVar("RequestType")
ResponseType = TypeVar("ResponseType")

MetadataKey = str
MetadataValue = Union[str, bytes]
MetadatumType = tuple[MetadataKey, MetadataValue]
MetadataType = Union[Metadata, Sequence[MetadatumType]]

SerializingFunction = Callable[[Any], bytes]
DeserializingFunction = Callable[[bytes], Any]
ChannelArgumentType = Sequence[tuple[str, Any]]
DoneCallbackType = Callable[[Any], None]
EOFType = type(EOF)
RequestIterableType = Union[Iterable[RequestType], AsyncIterable[RequestType]]
ResponseIterableType = AsyncIterable[ResponseType]
