# SPDX-License-Identifier: MIT
"""google-cloud-speech: recognition by calls, by long-running operations and by streams, blocking and from asyncio."""

import implementation  # isort: skip

import asyncio
from typing import Any

import grpc
from google.api_core import exceptions
from google.api_core.future import polling
from google.auth.credentials import AnonymousCredentials
from google.cloud import speech
from google.cloud.speech_v1.services.speech.transports import SpeechGrpcAsyncIOTransport, SpeechGrpcTransport
from google.longrunning import operations_pb2
from serving import SOON, method, service, serving

CONFIG = speech.RecognitionConfig(language_code="en")


def result(text: bytes) -> Any:
    spoken = speech.SpeechRecognitionAlternative(transcript=text.decode())
    return speech.SpeechRecognitionResult(alternatives=[spoken])


def recognize(request: Any, context: Any) -> Any:
    if not request.audio.content:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no sound")
    return speech.RecognizeResponse(results=[result(request.audio.content)])


def recognize_later(request: Any, context: Any) -> Any:
    return operations_pb2.Operation(name=request.audio.content.decode())


def get_operation(request: Any, context: Any) -> Any:
    found = operations_pb2.Operation(name=request.name, done=True)
    answer = speech.LongRunningRecognizeResponse(results=[result(request.name.encode())])
    found.response.Pack(speech.LongRunningRecognizeResponse.pb(answer))
    return found


def recognize_stream(requests: Any, context: Any) -> Any:
    assert next(requests).streaming_config.config.language_code == "en"
    for request in requests:
        if request.audio_content == b"noise":
            context.abort(grpc.StatusCode.OUT_OF_RANGE, "nothing but noise")
        spoken = speech.SpeechRecognitionAlternative(transcript=request.audio_content.decode())
        yield speech.StreamingRecognizeResponse(results=[speech.StreamingRecognitionResult(alternatives=[spoken])])


SERVICES = (
    service(
        "google.cloud.speech.v1.Speech",
        Recognize=method("unary_unary", recognize, speech.RecognizeRequest, speech.RecognizeResponse),
        LongRunningRecognize=method(
            "unary_unary", recognize_later, speech.LongRunningRecognizeRequest, operations_pb2.Operation
        ),
        StreamingRecognize=method(
            "stream_stream", recognize_stream, speech.StreamingRecognizeRequest, speech.StreamingRecognizeResponse
        ),
    ),
    service(
        "google.longrunning.Operations",
        GetOperation=method(
            "unary_unary", get_operation, operations_pb2.GetOperationRequest, operations_pb2.Operation
        ),
    ),
)


def sound(content: bytes) -> Any:
    return speech.RecognitionAudio(content=content)


def check_blocking(target: str) -> None:
    client = speech.SpeechClient(transport=SpeechGrpcTransport(channel=grpc.insecure_channel(target)))
    answer = client.recognize(config=CONFIG, audio=sound(b"good morning"))
    assert answer.results[0].alternatives[0].transcript == "good morning"
    try:
        client.recognize(config=CONFIG, audio=sound(b""))
    except exceptions.InvalidArgument as error:
        assert error.message == "there is no sound"
    else:
        raise AssertionError("the call did not fail")

    operation = client.long_running_recognize(config=CONFIG, audio=sound(b"later"))
    answer = operation.result(timeout=SOON, polling=polling.DEFAULT_POLLING.with_delay(initial=0.01))
    assert answer.results[0].alternatives[0].transcript == "later"

    streaming = speech.StreamingRecognitionConfig(config=CONFIG)
    requests = (speech.StreamingRecognizeRequest(audio_content=each) for each in (b"one", b"two", b"three"))
    heard = [each.results[0].alternatives[0].transcript for each in client.streaming_recognize(streaming, requests)]
    assert heard == ["one", "two", "three"]
    requests = (speech.StreamingRecognizeRequest(audio_content=each) for each in (b"one", b"noise"))
    try:
        list(client.streaming_recognize(streaming, requests))
    except exceptions.OutOfRange as error:
        assert error.message == "nothing but noise"
    else:
        raise AssertionError("the stream did not fail")
    client.transport.close()


async def check_async(target: str) -> None:
    transport = SpeechGrpcAsyncIOTransport(channel=grpc.aio.insecure_channel(target))
    client = speech.SpeechAsyncClient(transport=transport)
    answer = await client.recognize(config=CONFIG, audio=sound(b"good evening"))
    assert answer.results[0].alternatives[0].transcript == "good evening"

    async def requests() -> Any:
        yield speech.StreamingRecognizeRequest(streaming_config=speech.StreamingRecognitionConfig(config=CONFIG))
        for each in (b"one", b"two"):
            yield speech.StreamingRecognizeRequest(audio_content=each)

    stream = await client.streaming_recognize(requests=requests())
    assert [each.results[0].alternatives[0].transcript async for each in stream] == ["one", "two"]
    await transport.close()


def check_endpoint() -> None:
    """A client with an endpoint makes a channel of its own, with TLS, which nothing answers here."""
    client = speech.SpeechClient(
        credentials=AnonymousCredentials(), client_options={"api_endpoint": "127.0.0.1:1"}
    )
    try:
        client.recognize(config=CONFIG, audio=sound(b"a"), timeout=2, retry=None)
    except (exceptions.ServiceUnavailable, exceptions.DeadlineExceeded):
        pass
    else:
        raise AssertionError("the call did not fail")
    client.transport.close()


def main() -> None:
    with serving(*SERVICES) as target:
        check_blocking(target)
        asyncio.run(check_async(target))
    check_endpoint()


if __name__ == "__main__":
    main()
    implementation.check()
