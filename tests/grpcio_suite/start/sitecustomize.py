# SPDX-License-Identifier: MIT
"""Python imports this module when it starts. With TRUNKLINE_AS_GRPC=1 it makes ``grpc`` mean ``trunkline.grpc``, also in
the processes that the tests start, and supplies the few internals of grpcio by which its tests prepare themselves."""

import os


def _stand_ins():
    """The modules by name. None of them takes part in a call."""
    import importlib.machinery
    import importlib.metadata
    import sys
    import types
    import typing

    def module(name, **members):
        made = types.ModuleType(name)
        made.__dict__.update(members)
        return made

    def fully_qualified_method(group, method):
        return f"/{group}/{method}"

    def ssl_session_cache_lru(capacity):
        raise NotImplementedError("grpc.experimental.session_cache is not in trunkline.grpc")

    # The installed grpcio is not imported: its modules that only make thread pools are found in its folder.
    installed = importlib.machinery.PathFinder.find_spec("grpc", sys.path)
    folders = installed.submodule_search_locations if installed else []
    version = importlib.metadata.version("grpcio")
    return {
        "grpc._common": module("grpc._common", fully_qualified_method=fully_qualified_method),
        "grpc._grpcio_metadata": module("grpc._grpcio_metadata", __version__=version),
        "grpc._typing": module("grpc._typing", ChannelArgumentType=tuple[str, typing.Any]),
        "grpc.experimental.session_cache": module(
            "grpc.experimental.session_cache", ssl_session_cache_lru=ssl_session_cache_lru
        ),
        "grpc.framework": module("grpc.framework", __path__=[f"{folder}/framework" for folder in folders]),
    }


def _install():
    import importlib
    import sys

    import trunkline.grpc

    trunkline.grpc.install()
    for name, made in _stand_ins().items():
        sys.modules[name] = made
        package, _, attribute = name.rpartition(".")
        setattr(importlib.import_module(package), attribute, made)


if os.environ.get("TRUNKLINE_AS_GRPC") == "1":
    try:
        _install()
    except BaseException:
        # Python would go on, and the tests would run on grpcio.
        import traceback

        traceback.print_exc()
        os._exit(70)
