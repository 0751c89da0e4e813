// SPDX-License-Identifier: MIT
// ServerProcess: a server in a process of its own, which prints a line with its endpoint when it listens.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export interface ServerCommand {
  readonly command: string;
  readonly words: readonly string[];
  readonly folder?: string;
}

/** How long it may take to stop, in milliseconds. */
const maxStopTime = 60000;

export class ServerProcess {
  protected readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly port: number;

  constructor(process: ChildProcess, lines: AsyncIterator<string>, port: number) {
    this.process = process;
    this.#lines = lines;
    this.port = port;
  }

  protected static async launch<Kind>(
    Class: new (process: ChildProcess, lines: AsyncIterator<string>, port: number) => Kind,
    { command, words, folder }: ServerCommand,
  ): Promise<Kind> {
    const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"], cwd: folder });
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const line = await new Promise<string | undefined>((tell, fail) => {
      child.once("error", fail);
      lines.next().then(({ value }) => tell(value), fail);
    });
    const [endpoint] = /tcp:\S+/.exec(line ?? "") ?? [];
    if (!endpoint) throw new Error(`${command} ${words.join(" ")} does not listen, and says: ${line}`);
    return new Class(child, lines, Number(new URL(endpoint).port));
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** Writes a line to it, and returns the next one that it prints. */
  protected async ask(line: string): Promise<string> {
    this.process.stdin!.write(`${line}\n`);
    return (await this.#lines.next()).value;
  }

  /** Ends the process without a goodbye. */
  async kill(): Promise<void> {
    const gone = this.#exit();
    if (this.process.kill("SIGKILL")) await gone;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = this.#exit();
    this.requestStop();
    // Python prints then where its threads are.
    const timer = setTimeout(() => this.process.kill("SIGABRT"), maxStopTime);
    assert.equal(await gone, 0, "the server has not stopped well");
    clearTimeout(timer);
  }

  protected requestStop(): void {
    this.process.stdin!.end();
  }

  #exit(): Promise<number | string | null> {
    return new Promise((done) => this.process.once("exit", (code, signal) => done(code ?? signal)));
  }
}
