// SPDX-License-Identifier: MIT
// Connection: the page's channel to its server, the description of the server, and the feed of its statistics.
import { Channel } from "../../../src/channel.js";
import type { CallOptions } from "../../../src/call_options.js";
import { RpcError } from "../../../src/rpc_error.js";
import { StatusCode } from "../../../src/status_code.js";
import { Schema } from "../schema/schema.js";
import { History } from "../statistics/history.js";
import { readSample, type ServerSample } from "../statistics/server_sample.js";
import { textCodec } from "../calls/text_codec.js";

export type State = "connecting" | "live" | "lost" | "refused";

const describe = "trunkline.v1.Console/Describe";
const watch = "trunkline.v1.Console/Watch";
/** Milliseconds between attempts to watch again. */
const pause = 1000;

export class Connection {
  readonly channel: Channel;
  readonly url: URL;
  readonly history = new History();
  /** Called when the state has changed. */
  onState: (state: State, text: string) => void = () => {};
  onSample: () => void = () => {};
  /** The server has other methods than before. */
  onSchema: (schema: Schema, version: string) => void = () => {};
  #token: string;
  #described = "";

  /** `page`: the address of the page. */
  constructor(page: URL, token: string) {
    this.url = new URL("/", page);
    this.url.protocol = page.protocol === "https:" ? "wss:" : "ws:";
    this.#token = token;
    this.channel = new Channel(this.url, { codecs: [], backoff: { initial: 200, maximum: 3000 } });
  }

  /** Describes the server and watches it, until the token is refused. */
  async run(): Promise<void> {
    for (;;) {
      this.onState("connecting", "");
      try {
        await this.#describe();
        await this.#watch();
        this.onState("lost", "the server has ended the statistics");
      } catch (error) {
        const failure = RpcError.from(error);
        if (failure.code === StatusCode.unauthenticated) return this.onState("refused", failure.text);
        this.onState("lost", failure.text);
      }
      await new Promise((go) => setTimeout(go, pause));
    }
  }

  async #describe(): Promise<void> {
    const response = await this.channel.call<string>(describe, "{}", this.#options({ timeout: 10000 }));
    if (response === this.#described) return;
    this.#described = response;
    const found = JSON.parse(response) as { services?: string[]; files?: string[]; version?: string };
    const files = (found.files ?? []).map((each) => Uint8Array.from(atob(each), (letter) => letter.charCodeAt(0)));
    this.onSchema(new Schema(found.services ?? [], files), found.version ?? "");
  }

  async #watch(): Promise<void> {
    let sample: ServerSample | undefined;
    for await (const each of this.channel.serverStream<string>(watch, "{}", this.#options({}))) {
      sample = readSample(JSON.parse(each) as Record<string, unknown>, Date.now(), sample);
      this.history.add(sample);
      this.onState("live", "");
      this.onSample();
    }
  }

  #options(options: CallOptions): CallOptions {
    return { ...options, codec: textCodec, waitForReady: true, metadata: { "trunkline-console-token": this.#token } };
  }
}
