# SPDX-License-Identifier: MIT
"""google-cloud-firestore: documents, queries and a snapshot listener, blocking and from asyncio."""

import implementation  # isort: skip

import asyncio
import datetime
import os
import threading
from typing import Any

import grpc
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from serving import SOON, method, service, serving

DOCUMENTS = "projects/p/databases/(default)/documents"
NOW = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


class Database:
    """Documents by their names."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}

    def commit(self, request: Any, context: Any) -> Any:
        self.metadata = dict(context.invocation_metadata())
        for write in request.writes:
            if write.current_document.exists is False and write.update.name in self.documents:
                context.abort(grpc.StatusCode.ALREADY_EXISTS, "there is one already")
            stored = types.Document(name=write.update.name, fields=write.update.fields)
            stored.create_time = stored.update_time = NOW
            self.documents[write.update.name] = stored
        return types.CommitResponse(write_results=[types.WriteResult(update_time=NOW)], commit_time=NOW)

    def read(self, request: Any, context: Any) -> Any:
        for name in request.documents:
            if name in self.documents:
                yield types.BatchGetDocumentsResponse(found=self.documents[name], read_time=NOW)
            else:
                yield types.BatchGetDocumentsResponse(missing=name, read_time=NOW)

    def query(self, request: Any, context: Any) -> Any:
        collection = request.structured_query.from_[0].collection_id
        if collection == "forbidden":
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "not for you")
        for name, document in sorted(self.documents.items()):
            if name.startswith(f"{DOCUMENTS}/{collection}/"):
                yield types.RunQueryResponse(document=document, read_time=NOW)

    def listen(self, requests: Any, context: Any) -> Any:
        target = next(requests).add_target
        ids, kinds = [target.target_id], types.TargetChange.TargetChangeType
        yield types.ListenResponse(target_change=types.TargetChange(target_change_type=kinds.ADD, target_ids=ids))
        for name in target.documents.documents:
            change = types.DocumentChange(document=self.documents[name], target_ids=ids)
            yield types.ListenResponse(document_change=change)
        yield types.ListenResponse(target_change=types.TargetChange(target_change_type=kinds.CURRENT, target_ids=ids))
        at = types.TargetChange(target_change_type=kinds.NO_CHANGE, read_time=NOW)
        yield types.ListenResponse(target_change=at)
        for _ in requests:
            pass


def serve(database: Database) -> Any:
    return serving(
        service(
            "google.firestore.v1.Firestore",
            Commit=method("unary_unary", database.commit, types.CommitRequest, types.CommitResponse),
            BatchGetDocuments=method(
                "unary_stream", database.read, types.BatchGetDocumentsRequest, types.BatchGetDocumentsResponse
            ),
            RunQuery=method("unary_stream", database.query, types.RunQueryRequest, types.RunQueryResponse),
            Listen=method("stream_stream", database.listen, types.ListenRequest, types.ListenResponse),
        )
    )


def check_blocking(database: Database) -> None:
    client = firestore.Client(project="p")
    client.document("towns/a").set({"name": "Aachen", "people": 250_000})
    assert database.metadata["google-cloud-resource-prefix"] == "projects/p/databases/(default)"
    client.document("towns/b").set({"name": "Bonn"})
    assert client.document("towns/a").get().to_dict() == {"name": "Aachen", "people": 250_000}
    assert not client.document("towns/c").get().exists
    assert [each.get("name") for each in client.collection("towns").stream()] == ["Aachen", "Bonn"]
    try:
        client.document("towns/a").create({"name": "another"})
    except exceptions.AlreadyExists as error:
        assert error.message == "there is one already"
    else:
        raise AssertionError("the call did not fail")
    try:
        list(client.collection("forbidden").stream())
    except exceptions.PermissionDenied as error:
        assert error.message == "not for you"
    else:
        raise AssertionError("the query did not fail")

    seen, told = [], threading.Event()

    def listen(documents: Any, changes: Any, time: Any) -> None:
        seen.extend(each.to_dict()["name"] for each in documents)
        told.set()

    watch = client.document("towns/b").on_snapshot(listen)
    assert told.wait(SOON) and seen == ["Bonn"], seen
    watch.unsubscribe()
    client.close()


async def check_async() -> None:
    client = firestore.AsyncClient(project="p")
    await client.document("towns/c").set({"name": "Celle"})
    assert (await client.document("towns/c").get()).to_dict() == {"name": "Celle"}
    assert [each.get("name") async for each in client.collection("towns").stream()] == ["Aachen", "Bonn", "Celle"]
    try:
        await client.document("towns/a").create({"name": "another"})
    except exceptions.AlreadyExists:
        pass
    else:
        raise AssertionError("the call did not fail")
    client.close()


def main() -> None:
    database = Database()
    with serve(database) as target:
        os.environ["FIRESTORE_EMULATOR_HOST"] = target
        check_blocking(database)
        asyncio.run(check_async())


if __name__ == "__main__":
    main()
    implementation.check()
