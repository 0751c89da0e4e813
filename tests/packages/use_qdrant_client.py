# SPDX-License-Identifier: MIT
"""qdrant-client: collections and points over gRPC, with an interceptor for the key, blocking and from asyncio."""

import implementation  # isort: skip

import asyncio
from typing import Any

import grpc
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from qdrant_client import grpc as definitions
from qdrant_client.grpc import collections_service_pb2_grpc, points_service_pb2_grpc
from serving import serving


class Collections(collections_service_pb2_grpc.CollectionsServicer):
    def __init__(self) -> None:
        self.names: list[str] = []
        self.key: Any = None

    def Create(self, request: Any, context: Any) -> Any:
        self.key = dict(context.invocation_metadata()).get("api-key")
        if request.collection_name in self.names:
            context.abort(grpc.StatusCode.ALREADY_EXISTS, "there is one already")
        self.names.append(request.collection_name)
        return definitions.CollectionOperationResponse(result=True)

    def List(self, request: Any, context: Any) -> Any:
        found = [definitions.CollectionDescription(name=name) for name in self.names]
        return definitions.ListCollectionsResponse(collections=found)


class Points(points_service_pb2_grpc.PointsServicer):
    def __init__(self) -> None:
        self.points: dict[int, Any] = {}

    def Upsert(self, request: Any, context: Any) -> Any:
        self.points.update({point.id.num: point for point in request.points})
        done = definitions.UpdateResult(operation_id=1, status=definitions.UpdateStatus.Completed)
        return definitions.PointsOperationResponse(result=done)

    def Get(self, request: Any, context: Any) -> Any:
        if request.collection_name == "busy":
            context.set_trailing_metadata((("retry-after", "3"),))
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many requests")
        found = [self.points[each.num] for each in request.ids if each.num in self.points]
        return definitions.GetResponse(
            result=[definitions.RetrievedPoint(id=point.id, payload=point.payload) for point in found]
        )


def main() -> None:
    collections, points = Collections(), Points()
    services = (
        lambda server: collections_service_pb2_grpc.add_CollectionsServicer_to_server(collections, server),
        lambda server: points_service_pb2_grpc.add_PointsServicer_to_server(points, server),
    )
    with serving(*services) as target:
        host, port = target.split(":")
        options = {
            "host": host,
            "grpc_port": int(port),
            "prefer_grpc": True,
            "https": False,
            "api_key": "secret",
            "check_compatibility": False,
        }
        client = QdrantClient(**options)
        vectors = models.VectorParams(size=2, distance=models.Distance.DOT)
        assert client.create_collection("places", vectors_config=vectors)
        assert collections.key == "secret"
        assert [each.name for each in client.get_collections().collections] == ["places"]
        try:
            client.create_collection("places", vectors_config=vectors)
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.ALREADY_EXISTS and error.details() == "there is one already"
        else:
            raise AssertionError("the call did not fail")
        given = [models.PointStruct(id=each, vector=[0.5, 1.0], payload={"name": f"place {each}"}) for each in range(3)]
        assert client.upsert("places", given).status == models.UpdateStatus.COMPLETED
        found = client.retrieve("places", [1, 2, 9])
        assert [(each.id, each.payload) for each in found] == [(1, {"name": "place 1"}), (2, {"name": "place 2"})]
        try:
            client.retrieve("busy", [1])
        except Exception as error:
            assert type(error).__name__ == "ResourceExhaustedResponse" and error.retry_after_s == 3, error
        else:
            raise AssertionError("the call did not fail")
        client.close()

        async def call() -> None:
            client = AsyncQdrantClient(**options)
            assert await client.create_collection("people", vectors_config=vectors)
            assert [each.name for each in (await client.get_collections()).collections] == ["places", "people"]
            assert [each.id for each in await client.retrieve("places", [0])] == [0]
            try:
                await client.create_collection("people", vectors_config=vectors)
            except grpc.RpcError as error:
                assert error.code() is grpc.StatusCode.ALREADY_EXISTS
            else:
                raise AssertionError("the call did not fail")
            await client.close()

        asyncio.run(call())


if __name__ == "__main__":
    main()
    implementation.check()
