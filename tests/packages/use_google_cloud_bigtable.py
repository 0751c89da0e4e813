# SPDX-License-Identifier: MIT
"""google-cloud-bigtable: rows read as a stream of chunks, and mutations, blocking and from asyncio."""

import implementation  # isort: skip

import asyncio
import os
import warnings
from typing import Any

import grpc
from google.api_core import exceptions
from google.cloud.bigtable.data import BigtableDataClient, BigtableDataClientAsync, ReadRowsQuery, SetCell
from google.cloud.bigtable_v2 import types
from serving import method, service, serving


class Table:
    """Rows by their keys, each with one cell."""

    def __init__(self) -> None:
        self.cells: dict[bytes, bytes] = {}
        self.attempts = 0

    def mutate(self, request: Any, context: Any) -> Any:
        self.attempts += 1
        if self.attempts == 1:
            context.abort(grpc.StatusCode.UNAVAILABLE, "try again")
        if request.row_key == b"forbidden":
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "not for you")
        self.cells[request.row_key] = request.mutations[0].set_cell.value
        return types.MutateRowResponse()

    def read(self, request: Any, context: Any) -> Any:
        wanted = request.rows.row_keys or sorted(self.cells)
        for key in wanted:
            if key in self.cells:
                chunk = types.ReadRowsResponse.CellChunk(
                    row_key=key,
                    family_name="f",
                    qualifier=b"q",
                    timestamp_micros=1000,
                    value=self.cells[key],
                    commit_row=True,
                )
                yield types.ReadRowsResponse(chunks=[chunk])


def serve(table: Table) -> Any:
    return serving(
        service(
            "google.bigtable.v2.Bigtable",
            MutateRow=method("unary_unary", table.mutate, types.MutateRowRequest, types.MutateRowResponse),
            ReadRows=method("unary_stream", table.read, types.ReadRowsRequest, types.ReadRowsResponse),
        )
    )


def check_blocking() -> None:
    with BigtableDataClient(project="p") as client, client.get_table("i", "t") as table:
        for each in (b"a", b"b", b"c"):
            table.mutate_row(each, SetCell("f", b"q", each.upper(), timestamp_micros=1000))
        rows = table.read_rows(ReadRowsQuery())
        assert [(row.row_key, row.cells[0].value) for row in rows] == [(b"a", b"A"), (b"b", b"B"), (b"c", b"C")]
        assert table.read_row(b"b").cells[0].value == b"B" and table.read_row(b"missing") is None
        try:
            table.mutate_row(b"forbidden", SetCell("f", b"q", b"", timestamp_micros=1000))
        except exceptions.PermissionDenied as error:
            assert error.message == "not for you"
        else:
            raise AssertionError("the call did not fail")


async def check_async() -> None:
    async with BigtableDataClientAsync(project="p") as client, client.get_table("i", "t") as table:
        await table.mutate_row(b"d", SetCell("f", b"q", b"D", timestamp_micros=1000))
        assert (await table.read_row(b"d")).cells[0].value == b"D"
        keys = [row.row_key async for row in await table.read_rows_stream(ReadRowsQuery())]
        assert keys == [b"a", b"b", b"c", b"d"]


def main() -> None:
    table = Table()
    # The clients warn of the server that the variable names.
    warnings.filterwarnings("ignore", "Connecting to Bigtable emulator", RuntimeWarning)
    with serve(table) as target:
        os.environ["BIGTABLE_EMULATOR_HOST"] = target
        check_blocking()
        # The client has made another attempt for the one that was refused.
        assert table.attempts == 5, table.attempts
        asyncio.run(check_async())


if __name__ == "__main__":
    main()
    implementation.check()
