// SPDX-License-Identifier: MIT
// MethodView: one method: what it does, a form to call it, what came of the call, and how it fares on the server.
import { LiveCall } from "../calls/live_call.js";
import { InputError } from "../forms/editor.js";
import { fromJson, toJson } from "../forms/json_text.js";
import type { Connection } from "../page/connection.js";
import { element } from "../page/element.js";
import type { MethodDescriptor } from "../schema/descriptors.js";
import { shortName, type Schema } from "../schema/schema.js";
import type { SnippetCall } from "../snippets/snippet.js";
import { MetadataForm } from "./metadata_form.js";
import { MethodCharts } from "./method_charts.js";
import { kindTexts } from "./method_list.js";
import { RequestForm } from "./request_form.js";
import { ResponseView } from "./response_view.js";
import { SnippetView } from "./snippet_view.js";
import { typeTree } from "./type_tree.js";

export class MethodView {
  readonly node: HTMLElement;
  readonly #connection: Connection;
  readonly #method: MethodDescriptor;
  readonly #request: RequestForm;
  readonly #options: MetadataForm;
  readonly #response: ResponseView;
  readonly #snippets: SnippetView;
  readonly #charts: MethodCharts;
  readonly #buttons: Record<"call" | "send" | "close" | "cancel", HTMLButtonElement>;
  readonly #takesStream: boolean;
  /** Requests of a stream that were sent, for the snippets. */
  #sent: string[] = [];
  #call: LiveCall | undefined;

  constructor(connection: Connection, schema: Schema, method: MethodDescriptor) {
    this.#connection = connection;
    this.#method = method;
    this.#takesStream = method.kind === "client_stream" || method.kind === "bidirectional";
    this.#request = new RequestForm(schema, method);
    // Who types the requests of a stream takes his time.
    this.#options = new MetadataForm(this.#takesStream ? "" : "10000");
    this.#response = new ResponseView(schema, method.kind !== "unary");
    this.#charts = new MethodCharts(method.path);
    this.#snippets = new SnippetView(() => this.#snippetCall());
    const button = (kind: string, text: string, keys: string, onclick: () => void) =>
      element(`button.${kind}`, { type: "button", onclick, title: keys, "aria-keyshortcuts": keys }, text);
    this.#buttons = {
      call: button("primary", this.#takesStream ? "Open stream" : "Call", "Control+Enter", () => this.start()),
      send: button("primary", "Send", "Control+Enter", () => this.start()),
      close: button("secondary", "End requests", "Control+Shift+Enter", () => this.closeWrites()),
      cancel: button("secondary", "Cancel", "Escape", () => this.cancel()),
    };
    this.node = this.#layout(schema);
    this.node.addEventListener("input", () => this.#snippets.update());
    this.node.addEventListener("change", () => this.#snippets.update());
    this.#snippets.update();
    this.#showButtons();
  }

  /** Calls the method, or sends a further request. */
  start(): void {
    try {
      const request = this.#request.read();
      if (this.#call?.takesRequests && this.#takesStream) {
        this.#sent.push(request ?? "null");
        this.#call.send(request ?? "null");
      } else if (!this.#call || this.#call.hasEnded) this.#open(request);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      error.control.focus();
    }
    this.#snippets.update();
    this.#showButtons();
  }

  closeWrites(): void {
    if (!this.#takesStream) return;
    this.#call?.closeWrites();
    this.#showButtons();
  }

  /** True if there was a call to cancel. */
  cancel(): boolean {
    if (!this.#call || this.#call.hasEnded) return false;
    this.#call.cancel();
    return true;
  }

  /** There are new statistics. */
  onSample(): void {
    this.#charts.show(this.#connection.history);
  }

  #open(request: string | undefined): void {
    const options = { metadata: this.#options.metadata(), timeout: this.#options.timeout() };
    this.#response.begin();
    this.#sent = [];
    const { channel } = this.#connection;
    this.#call = new LiveCall(channel, this.#method, this.#takesStream ? undefined : request, options, {
      onMessage: (direction, json, after) => this.#response.addMessage(direction, json, after),
      onLeadingMetadata: (metadata) => this.#response.showLeadingMetadata(metadata),
      onEnd: (outcome) => {
        this.#response.end(outcome);
        this.#showButtons();
      },
    });
    if (this.#takesStream) this.node.querySelector<HTMLElement>(".request-body input, .request-body textarea")?.focus();
  }

  #showButtons(): void {
    const isRunning = this.#call !== undefined && !this.#call.hasEnded;
    const canSend = isRunning && this.#takesStream && this.#call!.takesRequests;
    const { call, send, close, cancel } = this.#buttons;
    call.hidden = isRunning;
    send.hidden = !canSend;
    close.hidden = !canSend;
    cancel.hidden = !isRunning;
  }

  #snippetCall(): SnippetCall {
    const { host, protocol } = this.#connection.url;
    const current = this.#request.read();
    const requests = this.#takesStream && this.#sent.length ? this.#sent : current === undefined ? [] : [current];
    return {
      method: this.#method,
      requests: requests.map((each) => toJson(fromJson(each))),
      metadata: this.#options.metadata(),
      timeout: this.#options.timeout(),
      host,
      isEncrypted: protocol === "wss:",
    };
  }

  #layout(schema: Schema): HTMLElement {
    const method = this.#method;
    const [glyph, kind] = kindTexts[method.kind];
    const badges = [
      element("span.badge", {}, `${glyph} ${kind}`),
      method.isIdempotent && element("span.badge", {}, "idempotent"),
      method.isDeprecated && element("span.badge.warning", {}, "deprecated"),
      method.codec && element("span.badge", { title: "the codec of its messages" }, method.codec),
    ];
    const { call, send, close, cancel } = this.#buttons;
    return element(
      "article.method-view",
      {},
      element(
        "header",
        {},
        element("h1", {}, element("span.package", {}, `${shortService(method)}/`), method.name),
        element("div.badges", {}, badges),
      ),
      method.comment ? element("p.method-comment", {}, method.comment) : undefined,
      element(
        "p.signature",
        {},
        `${this.#takesStream ? "stream " : ""}${shortName(method.request)} → ${method.kind === "server_stream" || method.kind === "bidirectional" ? "stream " : ""}${shortName(method.response)}`,
      ),
      element(
        "div.columns",
        {},
        element(
          "section.panel",
          { "aria-label": "request" },
          element("h2", {}, "Request"),
          this.#request.node,
          this.#options.node,
          element(
            "div.buttons",
            {},
            call,
            send,
            close,
            cancel,
            element("span.keys", {}, element("kbd", {}, "Ctrl"), " ", element("kbd", {}, "Enter")),
          ),
        ),
        element("section.panel", { "aria-label": "response" }, element("h2", {}, "Response"), this.#response.node),
      ),
      element("div.panel", {}, this.#snippets.node),
      element("div.panel", {}, this.#charts.node),
      element("div.panel", {}, element("h2", {}, "Types"), typeTree(schema, [method.request, method.response])),
    );
  }
}

function shortService(method: MethodDescriptor): string {
  const end = method.path.lastIndexOf("/");
  return end < 0 ? shortName(method.service) : method.path.slice(0, end);
}
