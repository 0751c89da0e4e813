// SPDX-License-Identifier: MIT
// ProtocolError: a rule of the protocol that the peer broke; it ends the connection with a goaway of this code.

export class ProtocolError extends Error {
  readonly code: 8 | 13;

  /** Code 8: a size, a count or a credit is above a limit. Code 13: everything else. */
  constructor(code: 8 | 13, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Throws unless a rule is kept. */
export function must(isKept: boolean, reason: string, code: 8 | 13 = 13): asserts isKept {
  if (!isKept) throw new ProtocolError(code, reason);
}
