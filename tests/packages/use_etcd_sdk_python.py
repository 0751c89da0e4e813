# SPDX-License-Identifier: MIT
"""etcd-sdk-python: keys, leases and transactions, watches by a stream both ways, and errors, on a server of its own."""

import implementation  # isort: skip

import queue
import threading
from typing import Any

import grpc
import pyetcd
from pyetcd.etcdrpc import kv_pb2, rpc_pb2, rpc_pb2_grpc
from pyetcd.exceptions import ConnectionFailedError, PreconditionFailedError
from serving import SOON, serving


class Store(rpc_pb2_grpc.KVServicer):
    """Keys with their values, of which watchers are told."""

    def __init__(self) -> None:
        self.values: dict[bytes, kv_pb2.KeyValue] = {}
        self.revision = 0
        self.watchers: list[queue.Queue[Any]] = []
        self.lock = threading.Lock()

    def Put(self, request: Any, context: Any) -> Any:
        if request.key == b"locked":
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "the key is locked")
        if request.key == b"away":
            context.abort(grpc.StatusCode.UNAVAILABLE, "there is no leader")
        with self.lock:
            self.revision += 1
            stored = kv_pb2.KeyValue(key=request.key, value=request.value, mod_revision=self.revision)
            self.values[request.key] = stored
            for each in self.watchers:
                each.put(kv_pb2.Event(type=kv_pb2.Event.PUT, kv=stored))
        return rpc_pb2.PutResponse()

    def Range(self, request: Any, context: Any) -> Any:
        last = request.range_end or request.key + b"\0"
        found = [value for key, value in sorted(self.values.items()) if request.key <= key < last]
        return rpc_pb2.RangeResponse(kvs=found, count=len(found))

    def DeleteRange(self, request: Any, context: Any) -> Any:
        return rpc_pb2.DeleteRangeResponse(deleted=1 if self.values.pop(request.key, None) else 0)

    def Txn(self, request: Any, context: Any) -> Any:
        compare = request.compare[0]
        holds = self.values.get(compare.key, kv_pb2.KeyValue()).value == compare.value
        answers = []
        for each in request.success if holds else request.failure:
            answers.append(rpc_pb2.ResponseOp(response_put=self.Put(each.request_put, context)))
        return rpc_pb2.TxnResponse(succeeded=holds, responses=answers)


class Watches(rpc_pb2_grpc.WatchServicer):
    def __init__(self, store: Store) -> None:
        self.store = store

    def Watch(self, requests: Any, context: Any) -> Any:
        created = next(requests).create_request
        events: queue.Queue[Any] = queue.Queue()
        with self.store.lock:
            self.store.watchers.append(events)
        context.add_callback(lambda: events.put(None))
        yield rpc_pb2.WatchResponse(watch_id=1, created=True)
        while (event := events.get()) is not None:
            if event.kv.key == created.key:
                yield rpc_pb2.WatchResponse(watch_id=1, events=[event])


class Leases(rpc_pb2_grpc.LeaseServicer):
    def LeaseGrant(self, request: Any, context: Any) -> Any:
        return rpc_pb2.LeaseGrantResponse(ID=7, TTL=request.TTL)

    def LeaseKeepAlive(self, requests: Any, context: Any) -> Any:
        for request in requests:
            yield rpc_pb2.LeaseKeepAliveResponse(ID=request.ID, TTL=60)

    def LeaseRevoke(self, request: Any, context: Any) -> Any:
        return rpc_pb2.LeaseRevokeResponse()


def main() -> None:
    store = Store()
    services = (
        lambda server: rpc_pb2_grpc.add_KVServicer_to_server(store, server),
        lambda server: rpc_pb2_grpc.add_WatchServicer_to_server(Watches(store), server),
        lambda server: rpc_pb2_grpc.add_LeaseServicer_to_server(Leases(), server),
    )
    with serving(*services) as target:
        host, port = target.split(":")
        client = pyetcd.client(host=host, port=int(port), timeout=SOON)
        client.put("a", "1")
        client.put("b", "2")
        assert client.get("a")[0] == b"1"
        assert client.get("missing") == (None, None)
        assert [(value, meta.key) for value, meta in client.get_range("a", "z")] == [(b"1", b"a"), (b"2", b"b")]

        put = client.transactions.put("c", "3")
        succeeded, _ = client.transaction(
            compare=[client.transactions.value("a") == "1"], success=[put], failure=[]
        )
        assert succeeded and client.get("c")[0] == b"3"
        assert client.delete("c") and not client.delete("c")

        lease = client.lease(30)
        assert lease.id == 7 and [each.TTL for each in lease.refresh()] == [60]
        lease.revoke()

        events, cancel = client.watch("a")
        client.put("b", "not watched")
        client.put("a", "4")
        event = next(events)
        assert event.key == b"a" and event.value == b"4"
        cancel()

        for key, error in (("locked", PreconditionFailedError), ("away", ConnectionFailedError)):
            try:
                client.put(key, "")
            except error:
                pass
            else:
                raise AssertionError("the call did not fail")
        client.close()


if __name__ == "__main__":
    main()
    implementation.check()
