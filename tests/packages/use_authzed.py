# SPDX-License-Identifier: MIT
"""authzed: the client of SpiceDB, whose interceptor adds its token, blocking and from asyncio, with streams."""

import implementation  # isort: skip

import asyncio
from typing import Any

import grpc
from authzed.api.v1 import (
    AsyncClient,
    CheckPermissionRequest,
    CheckPermissionResponse,
    InsecureClient,
    LookupResourcesRequest,
    LookupResourcesResponse,
    ObjectReference,
    SubjectReference,
    permission_service_pb2_grpc,
)
from certificate import make_certificate
from serving import SOON, serving


class Permissions(permission_service_pb2_grpc.PermissionsServiceServicer):
    def CheckPermission(self, request: Any, context: Any) -> Any:
        assert dict(context.invocation_metadata())["authorization"] == "Bearer a token"
        if request.permission == "unknown":
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "there is no such permission")
        return CheckPermissionResponse(permissionship=CheckPermissionResponse.PERMISSIONSHIP_HAS_PERMISSION)

    def LookupResources(self, request: Any, context: Any) -> Any:
        assert dict(context.invocation_metadata())["authorization"] == "Bearer a token"
        for each in ("a", "b", "c"):
            yield LookupResourcesResponse(resource_object_id=each)


def check(permission: str) -> Any:
    return CheckPermissionRequest(
        resource=ObjectReference(object_type="document", object_id="a"),
        permission=permission,
        subject=SubjectReference(object=ObjectReference(object_type="user", object_id="someone")),
    )


async def call_async(target: str, roots: bytes) -> None:
    token = grpc.access_token_call_credentials("a token")
    client = AsyncClient(target, grpc.composite_channel_credentials(grpc.ssl_channel_credentials(roots), token))
    answer = await client.CheckPermission(check("read"), timeout=SOON)
    assert answer.permissionship == CheckPermissionResponse.PERMISSIONSHIP_HAS_PERMISSION
    try:
        await client.CheckPermission(check("unknown"), timeout=SOON)
    except grpc.RpcError as error:
        assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    else:
        raise AssertionError("the call did not fail")
    found = [each.resource_object_id async for each in client.LookupResources(LookupResourcesRequest(), timeout=SOON)]
    assert found == ["a", "b", "c"]


def main() -> None:
    add = permission_service_pb2_grpc.add_PermissionsServiceServicer_to_server
    with serving(lambda server: add(Permissions(), server)) as target:
        client = InsecureClient(target, "a token")
        answer = client.CheckPermission(check("read"), timeout=SOON)
        assert answer.permissionship == CheckPermissionResponse.PERMISSIONSHIP_HAS_PERMISSION
        try:
            client.CheckPermission(check("unknown"), timeout=SOON)
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
            assert error.details() == "there is no such permission"
        else:
            raise AssertionError("the call did not fail")
        found = [each.resource_object_id for each in client.LookupResources(LookupResourcesRequest(), timeout=SOON)]
        assert found == ["a", "b", "c"]
    key, certificate = make_certificate()
    credentials = grpc.ssl_server_credentials([(key, certificate)])
    with serving(lambda server: add(Permissions(), server), credentials=credentials) as target:
        asyncio.run(call_async(target, certificate))


if __name__ == "__main__":
    main()
    implementation.check()
