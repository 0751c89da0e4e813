# SPDX-License-Identifier: MIT
"""google-cloud-logging: lines of Python's logging as calls, pages of entries, and a stream both ways."""

import implementation  # isort: skip

import asyncio
import logging
from typing import Any

import grpc
from google.auth.credentials import AnonymousCredentials
from google.cloud import logging as cloud_logging
from google.cloud.logging_v2 import types
from google.cloud.logging_v2.services.logging_service_v2 import LoggingServiceV2AsyncClient, LoggingServiceV2Client
from google.cloud.logging_v2.services.logging_service_v2.transports import (
    LoggingServiceV2GrpcAsyncIOTransport,
    LoggingServiceV2GrpcTransport,
)
from google.cloud.logging_v2.handlers import CloudLoggingHandler
from google.cloud.logging_v2.handlers.transports import BackgroundThreadTransport
from google.cloud.logging_v2 import _gapic
from serving import SOON, method, service, serving


class Lines:
    """The entries that have been written."""

    def __init__(self) -> None:
        self.entries: list[Any] = []

    def write(self, request: Any, context: Any) -> Any:
        for entry in request.entries:
            entry.log_name = entry.log_name or request.log_name
            self.entries.append(entry)
        return types.WriteLogEntriesResponse()

    def list(self, request: Any, context: Any) -> Any:
        begin = int(request.page_token or 0)
        following = str(begin + 2) if begin + 2 < len(self.entries) else ""
        return types.ListLogEntriesResponse(entries=self.entries[begin : begin + 2], next_page_token=following)

    def tail(self, requests: Any, context: Any) -> Any:
        for request in requests:
            found = [entry for entry in self.entries if request.filter in entry.log_name]
            yield types.TailLogEntriesResponse(entries=found)


def main() -> None:
    lines = Lines()
    served = service(
        "google.logging.v2.LoggingServiceV2",
        WriteLogEntries=method(
            "unary_unary", lines.write, types.WriteLogEntriesRequest, types.WriteLogEntriesResponse
        ),
        ListLogEntries=method("unary_unary", lines.list, types.ListLogEntriesRequest, types.ListLogEntriesResponse),
        TailLogEntries=method(
            "stream_stream", lines.tail, types.TailLogEntriesRequest, types.TailLogEntriesResponse
        ),
    )
    with serving(served) as target:
        channel = grpc.insecure_channel(target)
        gapic = LoggingServiceV2Client(transport=LoggingServiceV2GrpcTransport(channel=channel))
        client = cloud_logging.Client(project="p", credentials=AnonymousCredentials())
        client._logging_api = _gapic._LoggingAPI(gapic, client)

        handler = CloudLoggingHandler(client, name="lines", transport=BackgroundThreadTransport)
        logger = logging.getLogger("tests.lines")
        logger.propagate = False
        logger.addHandler(handler)
        for each in range(5):
            logger.warning("line %d", each)
        handler.transport.flush()
        handler.close()
        assert [entry.text_payload for entry in lines.entries] == [f"line {each}" for each in range(5)]
        found = gapic.list_log_entries(resource_names=["projects/p"])
        assert len(list(found)) == 5
        requests = iter([types.TailLogEntriesRequest(filter="lines"), types.TailLogEntriesRequest(filter="others")])
        assert [len(each.entries) for each in gapic.tail_log_entries(requests, timeout=SOON)] == [5, 0]
        channel.close()

        async def call() -> None:
            transport = LoggingServiceV2GrpcAsyncIOTransport(channel=grpc.aio.insecure_channel(target))
            client = LoggingServiceV2AsyncClient(transport=transport)
            found = await client.list_log_entries(resource_names=["projects/p"])
            assert len([each async for each in found]) == 5
            await transport.close()

        asyncio.run(call())


if __name__ == "__main__":
    main()
    implementation.check()
