// SPDX-License-Identifier: MIT
// Detail: a typed message that goes with a status, as in google.protobuf.Any.

export interface Detail {
  /** For example `type.googleapis.com/google.rpc.RetryInfo`. */
  readonly typeUrl: string;
  /** The serialized message. */
  readonly value: Uint8Array;
}
