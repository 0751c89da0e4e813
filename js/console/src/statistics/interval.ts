// SPDX-License-Identifier: MIT
// Interval: what a server did between two samples.
import type { Histogram, MethodSample, ServerSample } from "./server_sample.js";

export interface Percentiles {
  /** Nanoseconds; undefined: nothing has ended. */
  p50: number | undefined;
  p90: number | undefined;
  p99: number | undefined;
  max: number | undefined;
}

export interface MethodInterval extends Percentiles {
  /** Calls that ended, per second. */
  rate: number;
  /** Those that ended with another status than ok or cancelled, per second. */
  errorRate: number;
  inFlight: number;
  /** Bytes per second. */
  received: number;
  sent: number;
}

export interface Interval extends Percentiles {
  at: number;
  rate: number;
  /** Per second, by code; without ok. */
  errors: Map<number, number>;
  methods: Map<string, MethodInterval>;
  /** Cores. */
  cpu: number;
  lag: number | undefined;
  sample: ServerSample;
}

/** The counts of `now` that `before` did not have. */
function grown(now: Histogram, before: Histogram | undefined): [upper: number, count: number][] {
  const result: [number, number][] = [];
  for (const [upper, count] of now.buckets) {
    const more = count - (before?.buckets.get(upper) ?? 0);
    if (more > 0) result.push([upper, more]);
  }
  return result;
}

export function percentilesOf(counts: [upper: number, count: number][]): Percentiles {
  const sorted = counts.sort((a, b) => a[0] - b[0]);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const quantile = (part: number): number | undefined => {
    let seen = 0;
    for (const [upper, count] of sorted) if ((seen += count) >= part * total) return upper;
    return undefined;
  };
  return { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: sorted.at(-1)?.[0] };
}

function methodInterval(now: MethodSample, before: MethodSample | undefined, seconds: number): MethodInterval {
  let ended = 0;
  let failed = 0;
  for (const [code, count] of now.finished) {
    const more = count - (before?.finished.get(code) ?? 0);
    ended += more;
    if (code > 1) failed += more;
  }
  return {
    ...percentilesOf(grown(now.latency, before?.latency)),
    rate: ended / seconds,
    errorRate: failed / seconds,
    inFlight: now.inFlight,
    received: (now.received - (before?.received ?? 0)) / seconds,
    sent: (now.sent - (before?.sent ?? 0)) / seconds,
  };
}

/** `isShown`: whether a method counts. Undefined if the samples are not of one run of the server. */
export function intervalBetween(
  before: ServerSample,
  now: ServerSample,
  isShown: (method: string) => boolean,
): Interval | undefined {
  const seconds = now.uptime - before.uptime;
  if (now.processId !== before.processId || !(seconds > 0)) return undefined;
  const methods = new Map<string, MethodInterval>();
  const errors = new Map<number, number>();
  const counts = new Map<number, number>();
  let rate = 0;
  for (const [name, sample] of now.methods) {
    const earlier = before.methods.get(name);
    const interval = methodInterval(sample, earlier, seconds);
    methods.set(name, interval);
    if (!isShown(name)) continue;
    rate += interval.rate;
    for (const [code, count] of sample.finished) {
      const more = (count - (earlier?.finished.get(code) ?? 0)) / seconds;
      if (code !== 0 && more > 0) errors.set(code, (errors.get(code) ?? 0) + more);
    }
    for (const [upper, count] of grown(sample.latency, earlier?.latency))
      counts.set(upper, (counts.get(upper) ?? 0) + count);
  }
  return {
    ...percentilesOf([...counts]),
    at: now.at,
    rate,
    errors,
    methods,
    cpu: Math.max(0, now.cpu - before.cpu) / seconds,
    lag: percentilesOf(grown(now.lag, before.lag)).p99,
    sample: now,
  };
}
