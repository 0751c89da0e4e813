// SPDX-License-Identifier: MIT
// ServerSample: what trunkline.v1.ServerStatistics says at one time, with its numbers as numbers.

export interface Histogram {
  count: number;
  max: number;
  sum: number;
  /** Counts by the upper bounds of their buckets, in nanoseconds. */
  buckets: Map<number, number>;
}

export interface MethodSample {
  started: number;
  inFlight: number;
  finished: Map<number, number>;
  received: number;
  sent: number;
  latency: Histogram;
  loopHolds: number;
}

export interface ServerSample {
  /** Milliseconds, of the page's clock. */
  at: number;
  uptime: number;
  processId: string;
  connections: number;
  byProtocol: Map<string, number>;
  openCalls: number;
  queued: number;
  refused: number;
  shed: number;
  exceptions: number;
  adaptiveLimit: number;
  accepted: number;
  cpu: number;
  memory: number;
  used: number;
  budget: number;
  methods: Map<string, MethodSample>;
  /** Of all loops. */
  lag: Histogram;
}

type Json = Record<string, unknown>;

const number = (value: unknown): number => Number(value ?? 0);
const list = (value: unknown): Json[] => (value as Json[] | undefined) ?? [];

/** `before`: has the buckets that are not in `json`, since they have not changed. */
function histogram(json: Json = {}, before?: Histogram): Histogram {
  const buckets = new Map(before?.buckets);
  for (const each of list(json["buckets"])) buckets.set(number(each["upperNs"]), number(each["count"]));
  return { count: number(json["count"]), max: number(json["maxNs"]), sum: number(json["sumNs"]), buckets };
}

function method(json: Json, before?: MethodSample): MethodSample {
  const finished = Object.entries((json["finishedByCode"] as Json | undefined) ?? {});
  return {
    started: number(json["started"]),
    inFlight: number(json["inFlight"]),
    finished: new Map(finished.map(([code, count]) => [Number(code), number(count)])),
    received: number(json["bytesReceived"]),
    sent: number(json["bytesSent"]),
    latency: histogram(json["latency"] as Json | undefined, before?.latency),
    loopHolds: number(json["loopHolds"]),
  };
}

/** `json`: the message, as protobuf's JSON. `before`: what the message before it in the same stream has said. */
export function readSample(json: Json, at: number, before?: ServerSample): ServerSample {
  const lag: Histogram = { count: 0, max: 0, sum: 0, buckets: new Map() };
  for (const loop of list(json["loops"])) {
    const added = histogram(loop["lag"] as Json | undefined);
    lag.count += added.count;
    lag.sum += added.sum;
    lag.max = Math.max(lag.max, added.max);
    for (const [upper, count] of added.buckets) lag.buckets.set(upper, (lag.buckets.get(upper) ?? 0) + count);
  }
  const byProtocol = Object.entries((json["connectionsByProtocol"] as Json | undefined) ?? {});
  return {
    at,
    uptime: number(json["uptimeNs"]) / 1e9,
    processId: String(json["processId"] ?? ""),
    connections: number(json["connections"]),
    byProtocol: new Map(byProtocol.map(([name, count]) => [name, number(count)])),
    openCalls: number(json["openCalls"]),
    queued: number(json["queuedBlockingCalls"]),
    refused: number(json["callsRefused"]),
    shed: number(json["callsShed"]),
    exceptions: number(json["handlerExceptions"]),
    adaptiveLimit: number(json["adaptiveLimit"]),
    accepted: number(json["connectionsAccepted"]),
    cpu: number(json["cpuNs"]) / 1e9,
    memory: number(json["memoryBytes"]),
    used: number(json["memoryUsedBytes"]),
    budget: number(json["memoryMaxBytes"]),
    methods: new Map(
      list(json["methods"]).map((each) => {
        const name = String(each["method"]);
        return [name, method(each, before?.methods.get(name))];
      }),
    ),
    lag,
  };
}
