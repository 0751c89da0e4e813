// SPDX-License-Identifier: MIT
// History: the intervals of the last minutes.
import { intervalBetween, type Interval } from "./interval.js";
import type { ServerSample } from "./server_sample.js";

const maxIntervals = 300;

/** Methods of the library's own services, which are not counted among the calls of the server. */
export function isBuiltIn(method: string): boolean {
  return /^(trunkline\.v1\.|grpc\.(health|reflection)\.|GET \/console)/.test(method);
}

export class History {
  readonly intervals: Interval[] = [];
  #last: ServerSample | undefined;

  get last(): ServerSample | undefined {
    return this.#last;
  }

  get latest(): Interval | undefined {
    return this.intervals.at(-1);
  }

  add(sample: ServerSample): void {
    const before = this.#last;
    this.#last = sample;
    if (!before) return;
    const interval = intervalBetween(before, sample, (method) => !isBuiltIn(method));
    // Another process, or the same server again: what was before says nothing about it.
    if (interval) this.intervals.push(interval);
    else this.intervals.length = 0;
    if (this.intervals.length > maxIntervals) this.intervals.shift();
  }
}
