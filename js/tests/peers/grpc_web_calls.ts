// SPDX-License-Identifier: MIT
// GrpcWebCalls: the calls of ConnectCalls that the package grpc-web can make, which needs XMLHttpRequest.
import { create, fromBinary, toBinary, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import { AnySchema, anyUnpack, DurationSchema, type Any } from "@bufbuild/protobuf/wkt";
import { base64Decode, base64Encode, BinaryReader } from "@bufbuild/protobuf/wire";
import { GrpcWebClientBase, MethodDescriptor, MethodType, RpcError, StatusCode, type Metadata } from "grpc-web";
import { Grpc } from "../generated/wrapper_types_pb.js";
import type { Calls, Failure } from "./calls.js";

type Methods = typeof Grpc.method;
type Answer<Name extends keyof Methods> = { value: MessageInitShape<Methods[Name]["output"]>["value"] & {} };

interface Outcome<Message> {
  readonly messages: Message[];
  /** What came before the first message. */
  readonly leading: Metadata;
  /** What came with the status. */
  readonly trailing: Metadata;
  readonly error: RpcError | undefined;
}

interface Options {
  readonly metadata?: Metadata;
  readonly timeoutMs?: number;
  /** Called with each message of a stream; true: the call is cancelled. */
  readonly isEnough?: (message: { value: bigint }) => boolean;
}

const timeoutMs = 30000;
const metadata = { "leading-a": "1", "trailing-b-bin": base64Encode(Uint8Array.of(0, 255), "std_raw") };

/** grpc-web makes its own messages; these are protobuf-es'. */
function describe(method: DescMethod): MethodDescriptor<unknown, unknown> {
  const kind = method.methodKind === "unary" ? MethodType.UNARY : MethodType.SERVER_STREAMING;
  return new MethodDescriptor(
    `/${method.parent.typeName}/${method.name}`,
    kind,
    Object as unknown as new () => unknown,
    Object as unknown as new () => unknown,
    (message: MessageInitShape<typeof method.input>) => toBinary(method.input, create(method.input, message)),
    (bytes: Uint8Array) => fromBinary(method.output, bytes),
  );
}

export class GrpcWebCalls implements Omit<Calls, "sum" | "chat"> {
  readonly #baseUrl: string;
  readonly #client: GrpcWebClientBase;

  constructor(baseUrl: string, format: "text" | "binary") {
    this.#baseUrl = baseUrl;
    this.#client = new GrpcWebClientBase({ format });
  }

  async echo(sizes: number[]): Promise<boolean> {
    const outcomes = sizes.map(async (size) => {
      const value = new Uint8Array(size).map((_, at) => at * 31);
      const response = await this.#only("echo", { value });
      return response.value.length === size && response.value.every((byte, at) => byte === value[at]);
    });
    return (await Promise.all(outcomes)).every(Boolean);
  }

  async metadata(): Promise<unknown> {
    const outcomes = [
      await this.#call("echo", {}, { metadata, timeoutMs }),
      await this.#call("range", { value: 2n }, { metadata, timeoutMs }),
    ];
    return outcomes.map(({ leading, trailing }) => ({ leading: leading["leading-a"], trailing: bytesOf(trailing) }));
  }

  async range(count: number): Promise<number[]> {
    const { messages, error } = await this.#call("range", { value: BigInt(count) }, { timeoutMs });
    if (error) throw error;
    return messages.map(({ value }) => Number(value));
  }

  async fail(): Promise<unknown> {
    return failureOf(await this.#call("fail", {}, { metadata, timeoutMs }));
  }

  async failLate(): Promise<unknown> {
    const outcome = await this.#call("failLate", {}, { timeoutMs });
    return [outcome.messages.map(({ value }) => Number(value)), failureOf(outcome)];
  }

  async throwAndMiss(): Promise<unknown> {
    const outcomes = [this.#call("throw", {}, { timeoutMs }), this.#call("missing", {}, { timeoutMs })];
    return (await Promise.all(outcomes)).map(failureOf).map(({ code, text }) => [code, text]);
  }

  async timeLeft(): Promise<number[]> {
    const left = [await this.#call("timeLeft", {}, { timeoutMs }), await this.#call("timeLeft", {}, {})];
    return left.map(({ messages }) => Number(messages[0].value));
  }

  async deadline(): Promise<unknown> {
    const before = await this.#cancelled();
    const outcome = await this.#call("hang", {}, { timeoutMs: 1000 });
    return [failureOf(outcome).code, await this.#rises(before)];
  }

  async cancel(): Promise<unknown> {
    const before = await this.#cancelled();
    const stream = this.#start("hang", {}, {}, () => {});
    while ((await this.#only("hanging", {})).value === 0n);
    stream.cancel();
    // The package tells nobody of a cancelled call.
    return ["Canceled", await this.#rises(before)];
  }

  async cancelStream(): Promise<unknown> {
    const before = await this.#cancelled();
    await this.#call("range", { value: 1n << 50n }, { isEnough: ({ value }) => value >= 100n });
    return ["Canceled", await this.#rises(before)];
  }

  #start<Name extends keyof Methods>(
    name: Name,
    request: object,
    { metadata, timeoutMs }: Options,
    end: (error: RpcError | undefined, message?: Answer<Name>) => void,
  ) {
    const descriptor = describe(Grpc.method[name]) as MethodDescriptor<object, Answer<Name>>;
    const fields = { ...metadata, ...(timeoutMs && { deadline: String(Date.now() + timeoutMs) }) };
    const url = this.#baseUrl + descriptor.getName();
    return Grpc.method[name].methodKind === "unary"
      ? this.#client.rpcCall(url, request, fields, descriptor, (error, message) => end(error ?? undefined, message))
      : this.#client.serverStreaming(url, request, fields, descriptor);
  }

  #call<Name extends keyof Methods>(name: Name, request: object, options: Options): Promise<Outcome<Answer<Name>>> {
    return new Promise((done) => {
      const messages: Answer<Name>[] = [];
      let error: RpcError | undefined;
      let trailing: Metadata = {};
      const stream = this.#start(name, request, options, (failure, message) => {
        error = failure;
        if (message && !failure) messages.push(message);
      });
      const end = (leading: Metadata) =>
        done({ messages, leading, trailing: { ...error?.metadata, ...trailing }, error });
      // These are told when the response is over, just before an error that is not the server's.
      stream.on("metadata", (leading) => setTimeout(() => end(leading as unknown as Metadata)));
      stream.on("status", ({ metadata }) => (trailing = { ...trailing, ...metadata }));
      if (Grpc.method[name].methodKind === "unary") return;
      stream.on("error", (failure) => (error = failure));
      stream.on("data", (message) => {
        messages.push(message);
        if (!options.isEnough?.(message as { value: bigint })) return;
        stream.cancel();
        end({});
      });
    });
  }

  async #only<Name extends keyof Methods>(name: Name, request: object): Promise<Answer<Name>> {
    const { messages, error } = await this.#call(name, request, { timeoutMs });
    if (error) throw error;
    return messages[0];
  }

  async #cancelled(): Promise<bigint> {
    return (await this.#only("cancelled", {})).value;
  }

  async #rises(before: bigint): Promise<boolean> {
    let now = before;
    for (const end = performance.now() + 60000; now === before && performance.now() < end;)
      now = await this.#cancelled();
    return now === before + 1n;
  }
}

function failureOf({ error, leading, trailing }: Outcome<unknown>): Failure {
  if (!error) throw new Error("the call has ended well");
  const [code] = Object.entries(StatusCode).find(([, number]) => number === error.code)!;
  const name = code.toLowerCase().replace(/(^|_)(.)/g, (_, __, letter) => letter.toUpperCase());
  const details = trailing["grpc-status-details-bin"]
    ? detailsOf(base64Decode(trailing["grpc-status-details-bin"]))
    : [];
  return {
    code: name,
    text: error.message,
    details: details.map((detail) =>
      detail.typeUrl.endsWith("Duration")
        ? Number(anyUnpack(detail, DurationSchema)!.seconds)
        : [detail.typeUrl.replace(/.*\//, ""), [...detail.value]],
    ),
    leading: leading["leading-a"] ?? null,
    trailing: bytesOf(trailing),
  };
}

/** Those of a google.rpc.Status. */
function detailsOf(bytes: Uint8Array): Any[] {
  const details: Any[] = [];
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 3) details.push(fromBinary(AnySchema, reader.bytes()));
    else reader.skip(wireType, field);
  }
  return details;
}

function bytesOf(metadata: Metadata): number[] | null {
  const text = metadata["trailing-b-bin"];
  return text === undefined ? null : [...base64Decode(text)];
}
