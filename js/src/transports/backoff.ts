// SPDX-License-Identifier: MIT
// delayAfter: how long to wait before the next attempt.

export interface BackoffOptions {
  /** Milliseconds before the second attempt; 100 by default. */
  readonly initial?: number | undefined;
  /** The longest delay, in milliseconds; 30000 by default. */
  readonly maximum?: number | undefined;
  /** By how much each delay is longer than the one before; 1.6 by default. */
  readonly multiplier?: number | undefined;
  /** By which part delays vary at random; 0.2 by default. */
  readonly jitter?: number | undefined;
}

/** The delay after so many failures in a row, in milliseconds. */
export function delayAfter(failures: number, options: BackoffOptions = {}): number {
  const { initial = 100, maximum = 30000, multiplier = 1.6, jitter = 0.2 } = options;
  const delay = Math.min(maximum, initial * multiplier ** (failures - 1));
  return delay * (1 + jitter * (2 * Math.random() - 1));
}
