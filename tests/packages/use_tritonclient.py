# SPDX-License-Identifier: MIT
"""tritonclient: inference with arrays, by calls, by futures, by a stream both ways, and from asyncio."""

import implementation  # isort: skip

import asyncio
import queue
from typing import Any

import grpc
import numpy as np
import tritonclient.grpc as triton
import tritonclient.grpc.aio as triton_async
from serving import SOON, serving
from tritonclient.grpc import model_config_pb2, service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException


class Doubles(service_pb2_grpc.GRPCInferenceServiceServicer):
    """A server of one model, which doubles its input."""

    def __init__(self) -> None:
        self.caller: Any = None

    def ServerLive(self, request: Any, context: Any) -> Any:
        return service_pb2.ServerLiveResponse(live=True)

    def ModelReady(self, request: Any, context: Any) -> Any:
        return service_pb2.ModelReadyResponse(ready=request.name == "double")

    def ModelConfig(self, request: Any, context: Any) -> Any:
        config = model_config_pb2.ModelConfig(name=request.name, max_batch_size=8)
        return service_pb2.ModelConfigResponse(config=config)

    def ModelInfer(self, request: Any, context: Any) -> Any:
        if request.model_name != "double":
            context.abort(grpc.StatusCode.NOT_FOUND, "there is no such model")
        self.caller = dict(context.invocation_metadata()).get("caller")
        numbers = np.frombuffer(request.raw_input_contents[0], dtype=np.float32)
        answer = service_pb2.ModelInferResponse(model_name="double", id=request.id)
        answer.outputs.add(name="Y", datatype="FP32", shape=request.inputs[0].shape)
        answer.raw_output_contents.append((numbers * 2).tobytes())
        return answer

    def ModelStreamInfer(self, requests: Any, context: Any) -> Any:
        for request in requests:
            yield service_pb2.ModelStreamInferResponse(infer_response=self.ModelInfer(request, context))


def make_input(module: Any, count: int) -> tuple[np.ndarray, Any]:
    numbers = np.arange(count, dtype=np.float32).reshape(1, count)
    given = module.InferInput("X", [1, count], "FP32")
    given.set_data_from_numpy(numbers)
    return numbers, given


def check_blocking(target: str, server: Doubles) -> None:
    client = triton.InferenceServerClient(target)
    assert client.is_server_live() and client.is_model_ready("double") and not client.is_model_ready("other")
    assert client.get_model_config("double").config.max_batch_size == 8
    # More than what a message has room for by default.
    for count in (8, 2_000_000):
        numbers, given = make_input(triton, count)
        answer = client.infer("double", [given], headers={"caller": "a test"}, compression_algorithm="gzip")
        assert np.array_equal(answer.as_numpy("Y"), numbers * 2)
    assert server.caller == "a test"
    try:
        client.infer("other", [given])
    except InferenceServerException as error:
        assert error.status() == "StatusCode.NOT_FOUND" and error.message() == "there is no such model"
    else:
        raise AssertionError("the call did not fail")

    answers: queue.Queue[tuple[Any, Any]] = queue.Queue()
    numbers, given = make_input(triton, 16)
    client.async_infer("double", [given], callback=lambda result, error: answers.put((result, error)))
    result, error = answers.get(timeout=SOON)
    assert error is None and np.array_equal(result.as_numpy("Y"), numbers * 2)

    client.start_stream(callback=lambda result, error: answers.put((result, error)))
    for each in range(5):
        client.async_stream_infer("double", [given], request_id=str(each))
    for each in range(5):
        result, error = answers.get(timeout=SOON)
        assert error is None and result.get_response().id == str(each)
    client.async_stream_infer("other", [given])
    result, error = answers.get(timeout=SOON)
    assert "there is no such model" in str(error), error
    client.stop_stream()
    client.close()


async def check_async(target: str) -> None:
    async with triton_async.InferenceServerClient(target) as client:
        assert await client.is_server_live()
        numbers, given = make_input(triton_async, 8)
        answer = await client.infer("double", [given])
        assert np.array_equal(answer.as_numpy("Y"), numbers * 2)
        try:
            await client.infer("other", [given])
        except InferenceServerException as error:
            assert error.status() == "StatusCode.NOT_FOUND"
        else:
            raise AssertionError("the call did not fail")

        async def requests() -> Any:
            for each in range(3):
                yield {"model_name": "double", "inputs": [given], "request_id": str(each)}

        names = []
        async for result, error in client.stream_infer(requests()):
            assert error is None
            names.append(result.get_response().id)
        assert names == ["0", "1", "2"], names


def main() -> None:
    server = Doubles()
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    add = service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server
    with serving(lambda to: add(server, to), options=options) as target:
        check_blocking(target, server)
        asyncio.run(check_async(target))


if __name__ == "__main__":
    main()
    implementation.check()
