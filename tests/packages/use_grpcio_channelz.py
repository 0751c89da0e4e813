# SPDX-License-Identifier: MIT
"""grpcio-channelz: its stub calls a server of Channelz; its servicer, which reads grpcio's core, is refused by the
drop-in."""

import implementation  # isort: skip

from typing import Any

import grpc
from grpc_channelz.v1 import channelz_pb2, channelz_pb2_grpc
from serving import SOON, serving


class Channelz(channelz_pb2_grpc.ChannelzServicer):
    """A servicer of its own, for the stub."""

    def GetServers(self, request: Any, context: Any) -> Any:
        found = [channelz_pb2.Server(ref=channelz_pb2.ServerRef(server_id=7))]
        return channelz_pb2.GetServersResponse(server=found, end=True)


def ask(target: str) -> Any:
    with grpc.insecure_channel(target) as channel:
        stub = channelz_pb2_grpc.ChannelzStub(channel)
        return stub.GetServers(channelz_pb2.GetServersRequest(start_server_id=0), timeout=SOON)


def main() -> None:
    with serving(lambda server: channelz_pb2_grpc.add_ChannelzServicer_to_server(Channelz(), server)) as target:
        answer = ask(target)
        assert answer.end and [each.ref.server_id for each in answer.server] == [7]

    if implementation.NAME == "trunkline":
        try:
            from grpc_channelz.v1 import channelz
        except ImportError:
            return
        try:
            with serving(channelz.add_channelz_servicer) as target:
                ask(target)
        except grpc.RpcError:
            return
        raise AssertionError("the servicer has answered, but has nothing to read")
    from grpc_channelz.v1 import channelz

    with serving(channelz.add_channelz_servicer) as target:
        assert len(ask(target).server) == 1


if __name__ == "__main__":
    main()
    implementation.check()
