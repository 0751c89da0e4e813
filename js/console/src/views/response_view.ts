// SPDX-License-Identifier: MIT
// ResponseView: the messages of a call as they come, its status with details, and its metadata.
import type { Metadata } from "../../../src/metadata.js";
import type { Outcome } from "../calls/live_call.js";
import { coloured, indented, toJson } from "../forms/json_text.js";
import { element } from "../page/element.js";
import type { Schema } from "../schema/schema.js";
import { decodeMessage } from "../schema/wire_value.js";

/** Messages that stay on the page; older ones make room. */
const maxMessages = 200;

export class ResponseView {
  readonly node: HTMLElement;
  readonly #schema: Schema;
  readonly #isStream: boolean;
  readonly #status = element("div.status", { role: "status" });
  readonly #messages = element("div.messages", { tabIndex: 0, "aria-label": "messages", role: "log" });
  readonly #rest = element("div.rest");
  readonly #counts = { sent: 0, received: 0 };
  #isFull = false;

  constructor(schema: Schema, isStream: boolean) {
    this.#schema = schema;
    this.#isStream = isStream;
    this.node = element("div.response", {}, this.#status, this.#messages, this.#rest);
    this.clear();
  }

  clear(): void {
    Object.assign(this.#counts, { sent: 0, received: 0 });
    this.#isFull = false;
    this.#messages.replaceChildren();
    this.#rest.replaceChildren();
    this.#status.className = "status idle";
    this.#status.textContent = "Not called yet";
  }

  begin(): void {
    this.clear();
    this.#status.className = "status running";
    this.#showCounts();
  }

  addMessage(direction: "sent" | "received", json: string, after: number): void {
    this.#counts[direction] += 1;
    if (!this.#isStream && direction === "sent") return;
    const log = this.#messages;
    const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    const text = element("pre", {}, coloured(indented(json)));
    if (this.#isStream) {
      const arrow = direction === "sent" ? "↑" : "↓";
      const head = element("span.when", { title: direction }, `${arrow} ${formatTime(after)}`);
      log.append(element(`div.message-row.${direction}`, {}, head, text));
    } else log.append(element("div.message-row.only", {}, text));
    while (log.childElementCount > maxMessages) {
      log.firstElementChild!.remove();
      this.#isFull = true;
    }
    if (follows) log.scrollTop = log.scrollHeight;
    this.#showCounts();
  }

  showLeadingMetadata(metadata: Metadata): void {
    this.#rest.replaceChildren(...table("Leading metadata", metadata));
  }

  end(outcome: Outcome): void {
    const isOk = outcome.code === "ok";
    this.#status.className = isOk ? "status ok" : "status failed";
    const summary = this.#isStream ? ` · ${this.#countText()}` : "";
    this.#status.replaceChildren(
      element("b", {}, isOk ? "OK" : outcome.code.toUpperCase()),
      element("span", {}, ` ${formatTime(outcome.duration)}${summary}`),
      ...(isOk ? [] : [element("p", {}, outcome.text), element("p.hint", {}, originText(outcome))]),
    );
    this.#rest.replaceChildren(
      ...this.#details(outcome),
      ...table("Leading metadata", outcome.leadingMetadata),
      ...table("Trailing metadata", outcome.trailingMetadata),
    );
  }

  #details({ details }: Outcome): HTMLElement[] {
    return details.map(({ typeUrl, value }) => {
      const name = typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
      let text: string;
      try {
        text = toJson(decodeMessage(this.#schema, name, value));
      } catch {
        text = toJson(`${value.length} bytes`);
      }
      return element(
        "section",
        {},
        element("h4", {}, "Detail ", element("code", {}, name)),
        element("pre", {}, coloured(indented(text))),
      );
    });
  }

  #showCounts(): void {
    if (this.#status.classList.contains("running"))
      this.#status.replaceChildren(
        element("b", {}, "RUNNING"),
        element("span", {}, this.#isStream ? ` ${this.#countText()}` : ""),
      );
  }

  #countText(): string {
    const { sent, received } = this.#counts;
    return `${sent} sent, ${received} received${this.#isFull ? `, the last ${maxMessages} are shown` : ""}`;
  }
}

function formatTime(milliseconds: number): string {
  return milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(2)} s` : `${milliseconds.toFixed(1)} ms`;
}

function originText({ origin, mayHaveRun }: Outcome): string {
  const from = { local: "This page", peer: "The server", transport: "The connection" }[origin ?? "local"];
  return `${from} ended the call; ${mayHaveRun ? "its handler may have run" : "its handler has not run"}.`;
}

function table(title: string, metadata: Metadata): HTMLElement[] {
  if (!metadata.size) return [];
  const rows = [...metadata].map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, textOf(value))),
  );
  return [element("section", {}, element("h4", {}, title), element("table.metadata", {}, element("tbody", {}, rows)))];
}

/** Servers may send text as bytes; what is no text is shown in base64. */
function textOf(value: string | Uint8Array): string {
  if (typeof value === "string") return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(value);
  } catch {
    return btoa(String.fromCharCode(...value));
  }
}
