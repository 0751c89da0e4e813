// SPDX-License-Identifier: MIT
// findDetails: the details of an error that are messages of one schema.
import { fromBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import type { RpcError } from "../rpc_error.js";

/** In order. Throws if one of them is malformed. */
export function findDetails<Desc extends DescMessage>(error: RpcError, schema: Desc): MessageShape<Desc>[] {
  return error.details
    .filter(({ typeUrl }) => typeUrl.slice(typeUrl.lastIndexOf("/") + 1) === schema.typeName)
    .map(({ value }) => fromBinary(schema, value));
}
