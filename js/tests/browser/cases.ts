// SPDX-License-Identifier: MIT
// Calls of the service of tests/interop, in a page or in Node. Results are plain values, which a page can hand on.
import { Channel, RpcError, type ChannelOptions } from "../../src/index.js";

const service = "interop.Test";
let channel: Channel;

/** Further calls go to this server. */
export function open(url: string, options: ChannelOptions): void {
  channel?.close();
  channel = new Channel(url, options);
}

export function close(): void {
  channel?.close();
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The outcome of a call that fails, as plain values. */
async function failureOf(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RpcError)) return { error: String(error) };
  const { codeName, text, origin, mayHaveRun } = error;
  return {
    codeName,
    text,
    origin,
    mayHaveRun,
    details: error.details.map(({ typeUrl, value }) => [typeUrl, [...value]]),
    leading: error.leadingMetadata.get("leading-a") ?? null,
    trailing: [...(error.trailingMetadata.getBytes("trailing-b-bin") ?? [])],
  };
}

export async function unary(value: unknown): Promise<unknown> {
  return channel.call(`${service}/EchoValue`, value, { timeout: 30000 });
}

export async function bytes(size: number): Promise<boolean> {
  const sent = new Uint8Array(size).map((_, at) => at * 31);
  const received = await channel.call<Uint8Array>(`${service}/Echo`, sent, { timeout: 30000 });
  return received.length === size && received.every((byte, at) => byte === sent[at]);
}

export async function metadata(): Promise<unknown[]> {
  const stream = channel.serverStream(`${service}/Range`, 1, { metadata: { "leading-a": "1", "trailing-a": "2" } });
  const leading = (await stream.leadingMetadata).get("leading-a");
  await collect(stream);
  return [leading, stream.trailingMetadata.get("trailing-a")];
}

export async function error(): Promise<unknown> {
  const sent = { "leading-a": "1", "trailing-b-bin": Uint8Array.of(0, 255) };
  return failureOf(channel.call(`${service}/Fail`, { code: 9, message: "as asked" }, { metadata: sent }));
}

export async function errorAfterMessages(): Promise<unknown> {
  const seen: unknown[] = [];
  const outcome = await failureOf(
    (async () => {
      for await (const value of channel.serverStream(`${service}/FailLate`, { code: 5, message: "late" }))
        seen.push(value);
    })(),
  );
  return [seen, outcome.codeName, outcome.text];
}

export async function serverStream(count: number): Promise<unknown[]> {
  return collect(channel.serverStream(`${service}/Range`, count, { timeout: 30000 }));
}

export async function clientStream(numbers: number[]): Promise<unknown> {
  return channel.clientStream(`${service}/Sum`, numbers, { timeout: 30000 });
}

export async function clientStreamFailure(): Promise<Record<string, unknown>> {
  return failureOf(clientStream([1]));
}

export async function bidirectional(words: string[]): Promise<string[]> {
  const stream = channel.bidirectional<Uint8Array, Uint8Array>(`${service}/Chat`, undefined, { codec: "bytes" });
  const answers: string[] = [];
  const read = async () => answers.push(new TextDecoder().decode((await stream.next()).value ?? new Uint8Array()));
  for (const word of words) {
    await stream.write(new TextEncoder().encode(word));
    await read();
  }
  await stream.closeWrites();
  await read();
  if (!(await stream.next()).done) answers.push("more than goodbye");
  return answers;
}

export async function deadline(): Promise<unknown> {
  return failureOf(channel.call(`${service}/Hang`, "deadline", { timeout: 100 }));
}

/** Cancels a unary call, and waits until the server has noticed it. */
export async function cancelByServerSide(name: string): Promise<unknown> {
  const controller = new AbortController();
  const outcome = failureOf(channel.call(`${service}/Hang`, name, { signal: controller.signal }));
  await channel.call(`${service}/Wait`, `${name} begun`, { timeout: 30000 });
  controller.abort();
  await channel.call(`${service}/Wait`, `${name} cancelled`, { timeout: 30000 });
  return (await outcome).codeName;
}

/** Leaves a stream that has no end, and waits until the server has noticed it. */
export async function leaveStream(name: string): Promise<number> {
  let bytes = 0;
  const stream = channel.serverStream<Uint8Array>(`${service}/Flood`, new TextEncoder().encode(name), {
    codec: "bytes",
  });
  for await (const message of stream) if ((bytes += message.length) >= 2 ** 22) break;
  await channel.call(`${service}/Wait`, `${name} cancelled`, { timeout: 30000 });
  return bytes;
}

export async function manyAtOnce(count: number): Promise<boolean> {
  const calls = Array.from({ length: count }, (_, at) => unary({ at, pad: "x".repeat(at) }));
  return (await Promise.all(calls)).every((value, at) => (value as { at: number }).at === at);
}

/** Calls until a call has worked; the codes of those that have not. */
export async function callUntilItWorks(): Promise<unknown[]> {
  const codes: unknown[] = [];
  for (const end = performance.now() + 30000; performance.now() < end;) {
    const outcome = await channel.call(`${service}/Nothing`, undefined, { waitForReady: true, timeout: 30000 }).then(
      () => undefined,
      (thrown: RpcError) => thrown.codeName,
    );
    if (outcome === undefined) return codes;
    codes.push(outcome);
  }
  return ["no call has worked"];
}

/** A call that hangs while its server is killed. */
export async function hang(): Promise<unknown> {
  const { codeName, origin, mayHaveRun } = await failureOf(channel.call(`${service}/Hang`, "killed"));
  return [codeName, origin, mayHaveRun];
}

export async function begun(name: string): Promise<void> {
  await channel.call(`${service}/Wait`, `${name} begun`, { timeout: 30000 });
}

/** How a call to a method of kit/service.py ends. */
export async function outcomeOf(method: string): Promise<unknown> {
  return channel
    .call(method, undefined, { timeout: 30000 })
    .catch((thrown: RpcError) => [thrown.codeName, thrown.text]);
}
