// SPDX-License-Identifier: MIT
// StatusCode: the canonical status codes of gRPC, with its numbers.

export const StatusCode = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalid_argument: 3,
  deadline_exceeded: 4,
  not_found: 5,
  already_exists: 6,
  permission_denied: 7,
  resource_exhausted: 8,
  failed_precondition: 9,
  aborted: 10,
  out_of_range: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  data_loss: 15,
  unauthenticated: 16,
} as const;

export type StatusCode = (typeof StatusCode)[keyof typeof StatusCode];

/** The name of a code, by its number. */
export const statusCodeNames = Object.keys(StatusCode) as readonly (keyof typeof StatusCode)[];
