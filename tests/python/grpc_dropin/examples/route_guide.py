# SPDX-License-Identifier: MIT
"""Every kind of method."""

from __future__ import annotations

from concurrent import futures
from typing import Any

import grpc

messages, services = grpc.protos_and_services("route_guide.proto")
RouteGuideServicer: Any = services.RouteGuideServicer

FEATURES = {(1, 1): "bridge", (2, 3): "mill", (5, 5): "tower"}


def point(latitude: int, longitude: int) -> Any:
    return messages.Point(latitude=latitude, longitude=longitude)


def name_at(place: Any) -> str:
    return FEATURES.get((place.latitude, place.longitude), "")


class RouteGuide(RouteGuideServicer):
    def GetFeature(self, request: Any, context: Any) -> Any:
        return messages.Feature(name=name_at(request), location=request)

    def ListFeatures(self, request: Any, context: Any) -> Any:
        for (latitude, longitude), name in FEATURES.items():
            if request.low.latitude <= latitude <= request.high.latitude:
                yield messages.Feature(name=name, location=point(latitude, longitude))

    def RecordRoute(self, request_iterator: Any, context: Any) -> Any:
        names = [name_at(place) for place in request_iterator]
        return messages.Summary(points=len(names), features=sum(1 for name in names if name))

    def Chat(self, request_iterator: Any, context: Any) -> Any:
        notes: list[Any] = []
        for note in request_iterator:
            yield from (earlier for earlier in notes if earlier.location == note.location)
            notes.append(note)


def serve() -> tuple[Any, str]:
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    services.add_RouteGuideServicer_to_server(RouteGuide(), server)
    port = server.add_insecure_port("localhost:0")
    server.start()
    return server, f"localhost:{port}"


def run(target: str) -> list[str]:
    with grpc.insecure_channel(target) as channel:
        stub = services.RouteGuideStub(channel)
        area = messages.Area(low=point(0, 0), high=point(3, 3))
        summary = stub.RecordRoute(iter([point(1, 1), point(1, 2), point(5, 5)]))
        places = [point(0, 0), point(1, 0), point(0, 0), point(1, 0)]
        notes = (messages.Note(location=place, text=str(number)) for number, place in enumerate(places))
        return [
            stub.GetFeature(point(2, 3)).name,
            stub.GetFeature(point(9, 9)).name,
            *(feature.name for feature in stub.ListFeatures(area)),
            f"{summary.points} points, {summary.features} features",
            *(note.text for note in stub.Chat(notes)),
        ]
