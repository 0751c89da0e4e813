// SPDX-License-Identifier: MIT
// ConnectCalls: the calls by Connect's clients, in a page or in Node.
import {
  Code,
  ConnectError,
  createClient,
  decodeBinaryHeader,
  encodeBinaryHeader,
  type Client,
  type Transport,
} from "@connectrpc/connect";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { Grpc } from "../generated/wrapper_types_pb.js";
import type { Calls, Failure } from "./calls.js";

/** For calls that are to end well. */
const timeoutMs = 30000;

export class ConnectCalls implements Calls {
  readonly #client: Client<typeof Grpc>;

  constructor(transport: Transport) {
    this.#client = createClient(Grpc, transport);
  }

  async echo(sizes: number[]): Promise<boolean> {
    const outcomes = sizes.map(async (size) => {
      const value = new Uint8Array(size).map((_, at) => at * 31);
      const response = await this.#client.echo({ value }, { timeoutMs });
      return response.value.length === size && response.value.every((byte, at) => byte === value[at]);
    });
    return (await Promise.all(outcomes)).every(Boolean);
  }

  async metadata(): Promise<unknown> {
    const seen: Record<string, unknown> = {};
    const options = {
      timeoutMs,
      headers: { "leading-a": "1", "trailing-b-bin": encodeBinaryHeader(Uint8Array.of(0, 255)) },
      onHeader: (headers: Headers) => (seen.leading = headers.get("leading-a")),
      onTrailer: (headers: Headers) => (seen.trailing = bytesOf(headers)),
    };
    await this.#client.echo({}, options);
    const unary = { ...seen };
    for await (const _ of this.#client.range({ value: 2n }, options));
    return [unary, seen];
  }

  async range(count: number): Promise<number[]> {
    const values: number[] = [];
    for await (const { value } of this.#client.range({ value: BigInt(count) }, { timeoutMs }))
      values.push(Number(value));
    return values;
  }

  async fail(): Promise<unknown> {
    const headers = { "leading-a": "1", "trailing-b-bin": encodeBinaryHeader(Uint8Array.of(0, 255)) };
    return failureOf(this.#client.fail({}, { timeoutMs, headers }));
  }

  async failLate(): Promise<unknown> {
    const values: number[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const { value } of this.#client.failLate({}, { timeoutMs })) values.push(Number(value));
      })(),
    );
    return [values, failure];
  }

  async throwAndMiss(): Promise<unknown> {
    const failures = [this.#client.throw({}, { timeoutMs }), this.#client.missing({}, { timeoutMs })].map(failureOf);
    return (await Promise.all(failures)).map(({ code, text }) => [code, text]);
  }

  async timeLeft(): Promise<number[]> {
    const left = [await this.#client.timeLeft({}, { timeoutMs }), await this.#client.timeLeft({})];
    return left.map(({ value }) => Number(value));
  }

  async deadline(): Promise<unknown> {
    const before = await this.#cancelled();
    const { code } = await failureOf(this.#client.hang({}, { timeoutMs: 1000 }));
    return [code, await this.#rises(before)];
  }

  async cancel(): Promise<unknown> {
    const before = await this.#cancelled();
    const controller = new AbortController();
    const failure = failureOf(this.#client.hang({}, { signal: controller.signal }));
    while ((await this.#client.hanging({}, { timeoutMs })).value === 0n);
    controller.abort();
    return [(await failure).code, await this.#rises(before)];
  }

  async cancelStream(): Promise<unknown> {
    const before = await this.#cancelled();
    const controller = new AbortController();
    const read = async () => {
      const responses = this.#client.range({ value: 1n << 50n }, { signal: controller.signal });
      for await (const { value } of responses) if (value === 100n) controller.abort();
    };
    return [(await failureOf(read())).code, await this.#rises(before)];
  }

  async sum(values: number[]): Promise<number> {
    const requests = async function* () {
      for (const value of values) yield { value: BigInt(value) };
    };
    return Number((await this.#client.sum(requests(), { timeoutMs })).value);
  }

  async chat(count: number): Promise<number[]> {
    let sent = 0;
    let answer!: () => void;
    const requests = async function* () {
      for (; sent < count; ++sent) {
        const answered = new Promise<void>((done) => (answer = done));
        yield { value: new Uint8Array(sent) };
        await answered;
      }
    };
    const lengths: number[] = [];
    for await (const { value } of this.#client.chat(requests(), { timeoutMs })) {
      lengths.push(value.length === sent ? sent : -1);
      answer();
    }
    return lengths;
  }

  async #cancelled(): Promise<bigint> {
    return (await this.#client.cancelled({}, { timeoutMs })).value;
  }

  /** Whether the server sees one cancellation more within some seconds. */
  async #rises(before: bigint): Promise<boolean> {
    let now = before;
    for (const end = performance.now() + 60000; now === before && performance.now() < end;)
      now = await this.#cancelled();
    return now === before + 1n;
  }
}

async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConnectError)) throw new Error(`the call has ended with ${error}`);
  const opaque = error.details.flatMap((detail) =>
    "type" in detail && detail.type !== "google.protobuf.Duration" ? detail : [],
  );
  return {
    code: Code[error.code],
    text: error.rawMessage,
    details: [
      ...error.findDetails(DurationSchema).map(({ seconds }) => Number(seconds)),
      ...opaque.map(({ type, value }) => [type, [...value]]),
    ],
    leading: error.metadata.get("leading-a"),
    trailing: bytesOf(error.metadata),
  };
}

function bytesOf(headers: Headers): number[] | null {
  const text = headers.get("trailing-b-bin");
  return text === null ? null : [...decodeBinaryHeader(text)];
}
