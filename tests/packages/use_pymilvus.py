# SPDX-License-Identifier: MIT
"""pymilvus: the client of Milvus, whose interceptors add its user, blocking and from asyncio."""

import implementation  # isort: skip

import asyncio
import base64
from typing import Any

import grpc
from pymilvus import AsyncMilvusClient, MilvusClient, MilvusException
from pymilvus.grpc_gen import common_pb2, milvus_pb2, milvus_pb2_grpc
from serving import serving


class Milvus(milvus_pb2_grpc.MilvusServiceServicer):
    def __init__(self) -> None:
        self.names: list[str] = ["first"]
        self.callers: list[tuple[Any, Any]] = []

    def Connect(self, request: Any, context: Any) -> Any:
        return milvus_pb2.ConnectResponse(status=common_pb2.Status(), identifier=17)

    def GetVersion(self, request: Any, context: Any) -> Any:
        return milvus_pb2.GetVersionResponse(status=common_pb2.Status(), version="v2.9.9")

    def ShowCollections(self, request: Any, context: Any) -> Any:
        metadata = dict(context.invocation_metadata())
        self.callers.append((metadata.get("authorization"), metadata.get("identifier")))
        return milvus_pb2.ShowCollectionsResponse(status=common_pb2.Status(), collection_names=self.names)

    def DropCollection(self, request: Any, context: Any) -> Any:
        if request.collection_name not in self.names:
            return common_pb2.Status(error_code=common_pb2.CollectionNotExists, code=100, reason="there is none")
        self.names.remove(request.collection_name)
        return common_pb2.Status()


def main() -> None:
    milvus = Milvus()
    with serving(lambda server: milvus_pb2_grpc.add_MilvusServiceServicer_to_server(milvus, server)) as target:
        client = MilvusClient(uri=f"http://{target}", token="someone:secret", timeout=20)
        assert client.get_server_version() == "v2.9.9"
        assert client.list_collections() == ["first"]
        assert milvus.callers == [(base64.b64encode(b"someone:secret").decode(), "17")], milvus.callers
        try:
            client.drop_collection("missing")
        except MilvusException as error:
            assert error.message == "there is none"
        else:
            raise AssertionError("the call did not fail")

        async def call() -> None:
            client = AsyncMilvusClient(uri=f"http://{target}", token="someone:secret", timeout=20)
            assert await client.list_collections() == ["first"]
            assert milvus.callers[-1][0] == milvus.callers[0][0]
            await client.drop_collection("first")
            assert milvus.names == []
            await client.close()

        asyncio.run(call())
        try:
            # The server does not have this method.
            client.create_database("other")
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.UNIMPLEMENTED, error
        else:
            raise AssertionError("the call did not fail")
        client.close()


if __name__ == "__main__":
    main()
    implementation.check()
