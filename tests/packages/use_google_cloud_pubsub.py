# SPDX-License-Identifier: MIT
"""google-cloud-pubsub: publishes in batches, pulls by a stream both ways, and calls from asyncio."""

import implementation  # isort: skip

import asyncio
import threading
from typing import Any

import grpc
from google.api_core import exceptions
from google.cloud import pubsub_v1
from google.protobuf import empty_pb2
from google.pubsub_v1 import PublisherAsyncClient, types
from google.pubsub_v1.services.publisher.transports import PublisherGrpcAsyncIOTransport, PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from serving import SOON, method, service, serving

TOPIC = "projects/p/topics/t"
SUBSCRIPTION = "projects/p/subscriptions/s"


class Broker:
    """A topic with one subscription, whose messages go to a single stream."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.acknowledged: set[str] = set()
        self.requested: str = ""
        self.changed = threading.Condition()

    def create(self, request: Any, context: Any) -> Any:
        return types.Topic(name=request.name)

    def list(self, request: Any, context: Any) -> Any:
        first = not request.page_token
        names = ("a", "b") if first else ("c",)
        topics = [types.Topic(name=name) for name in names]
        return types.ListTopicsResponse(topics=topics, next_page_token="next" if first else "")

    def publish(self, request: Any, context: Any) -> Any:
        if request.topic != TOPIC:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such topic")
        self.requested = dict(context.invocation_metadata())["x-goog-request-params"]
        with self.changed:
            ids = [str(len(self.messages) + each) for each in range(len(request.messages))]
            for message, name in zip(request.messages, ids):
                message.message_id = name
            self.messages += request.messages
            self.changed.notify_all()
        return types.PublishResponse(message_ids=ids)

    def pull(self, requests: Any, context: Any) -> Any:
        assert next(requests).subscription == SUBSCRIPTION
        threading.Thread(target=self.read, args=(requests,), daemon=True).start()
        sent = 0
        while context.is_active():
            with self.changed:
                self.changed.wait_for(lambda: len(self.messages) > sent, timeout=0.2)
                fresh = self.messages[sent:]
            if fresh:
                sent += len(fresh)
                each = [types.ReceivedMessage(ack_id=message.message_id, message=message) for message in fresh]
                yield types.StreamingPullResponse(received_messages=each)

    def read(self, requests: Any) -> None:
        try:
            for request in requests:
                self.acknowledge(request, None)
        except grpc.RpcError:
            pass
        except Exception as error:
            # The stream has ended, which grpcio tells by an exception of no class in particular.
            assert type(error) is Exception, error

    def acknowledge(self, request: Any, context: Any) -> Any:
        with self.changed:
            self.acknowledged |= set(request.ack_ids)
            self.changed.notify_all()
        return empty_pb2.Empty()

    def modify(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()


def serve(broker: Broker) -> Any:
    publisher = service(
        "google.pubsub.v1.Publisher",
        CreateTopic=method("unary_unary", broker.create, types.Topic, types.Topic),
        ListTopics=method("unary_unary", broker.list, types.ListTopicsRequest, types.ListTopicsResponse),
        Publish=method("unary_unary", broker.publish, types.PublishRequest, types.PublishResponse),
    )
    subscriber = service(
        "google.pubsub.v1.Subscriber",
        StreamingPull=method("stream_stream", broker.pull, types.StreamingPullRequest, types.StreamingPullResponse),
        Acknowledge=method("unary_unary", broker.acknowledge, types.AcknowledgeRequest, empty_pb2.Empty),
        ModifyAckDeadline=method("unary_unary", broker.modify, types.ModifyAckDeadlineRequest, empty_pb2.Empty),
    )
    return serving(publisher, subscriber)


def check_blocking(target: str, broker: Broker) -> None:
    publisher = pubsub_v1.PublisherClient(transport=PublisherGrpcTransport(channel=grpc.insecure_channel(target)))
    assert publisher.create_topic(name=TOPIC).name == TOPIC
    assert [each.name for each in publisher.list_topics(project="projects/p")] == ["a", "b", "c"]
    futures = [publisher.publish(TOPIC, f"message {each}".encode(), kind="test") for each in range(20)]
    assert sorted(int(future.result(SOON)) for future in futures) == list(range(20))
    assert broker.requested == "topic=projects/p/topics/t" or "topic=projects%2Fp" in broker.requested
    try:
        publisher.publish("projects/p/topics/missing", b"a message").result(SOON)
    except exceptions.NotFound as error:
        assert error.message == "no such topic"
    else:
        raise AssertionError("the call did not fail")

    subscriber = pubsub_v1.SubscriberClient(transport=SubscriberGrpcTransport(channel=grpc.insecure_channel(target)))
    received: list[bytes] = []

    def receive(message: Any) -> None:
        assert message.attributes["kind"] == "test"
        received.append(message.data)
        message.ack()

    pulling = subscriber.subscribe(SUBSCRIPTION, receive)
    with broker.changed:
        assert broker.changed.wait_for(lambda: len(broker.acknowledged) == 20, SOON), broker.acknowledged
    publisher.publish(TOPIC, b"one more", kind="test").result(SOON)
    with broker.changed:
        assert broker.changed.wait_for(lambda: len(broker.acknowledged) == 21, SOON), broker.acknowledged
    pulling.cancel()
    pulling.result(SOON)
    assert sorted(received) == sorted([b"one more", *(f"message {each}".encode() for each in range(20))])
    subscriber.close()
    publisher.stop()
    publisher.transport.close()


async def check_async(target: str) -> None:
    transport = PublisherGrpcAsyncIOTransport(channel=grpc.aio.insecure_channel(target))
    client = PublisherAsyncClient(transport=transport)
    assert (await client.create_topic(name=TOPIC)).name == TOPIC
    assert [each.name async for each in await client.list_topics(project="projects/p")] == ["a", "b", "c"]
    answer = await client.publish(topic=TOPIC, messages=[types.PubsubMessage(data=b"a message")])
    assert list(answer.message_ids) == ["21"]
    try:
        await client.publish(topic="projects/p/topics/missing", messages=[types.PubsubMessage(data=b"a message")])
    except exceptions.NotFound as error:
        assert error.message == "no such topic"
    else:
        raise AssertionError("the call did not fail")
    await transport.close()


def main() -> None:
    broker = Broker()
    with serve(broker) as target:
        check_blocking(target, broker)
        asyncio.run(check_async(target))


if __name__ == "__main__":
    main()
    implementation.check()
