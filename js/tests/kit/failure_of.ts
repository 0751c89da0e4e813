// SPDX-License-Identifier: MIT
// failureOf: the error that a call ends with.
import assert from "node:assert/strict";
import { RpcError } from "../../src/rpc_error.js";

export async function failureOf(call: Promise<unknown>): Promise<RpcError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
  assert.fail("the call has ended well");
}
