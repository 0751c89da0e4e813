// SPDX-License-Identifier: MIT
// RequestForm: a request as a form or as JSON, whichever the user prefers.
import { element } from "../page/element.js";
import { InputError } from "../forms/editor.js";
import type { Editor } from "../forms/editor.js";
import { EditorFactory } from "../forms/editor_factory.js";
import { JsonEditor } from "../forms/json_editor.js";
import { toJson } from "../forms/json_text.js";
import type { MethodDescriptor } from "../schema/descriptors.js";
import type { Schema } from "../schema/schema.js";

export class RequestForm {
  readonly node: HTMLElement;
  readonly #form: Editor;
  readonly #json: JsonEditor;
  readonly #place = element("div.request-body");
  readonly #tabs: [form: HTMLButtonElement, json: HTMLButtonElement];
  readonly #error: HTMLElement = element("p.input-error", { role: "alert" });
  #isForm = true;

  constructor(schema: Schema, method: MethodDescriptor) {
    const isPlain = method.codec !== "";
    this.#form = new EditorFactory(schema, isPlain).request(method.request);
    const isEmpty = method.request === "google.protobuf.Empty" && isPlain;
    this.#json = new JsonEditor("request-json", {
      rows: 14,
      label: "request as JSON",
      empty: isEmpty ? undefined : {},
    });
    const tab = (text: string, isForm: boolean) =>
      element("button", { type: "button", role: "tab", onclick: () => this.#choose(isForm) }, text);
    this.#tabs = [tab("Form", true), tab("JSON", false)];
    this.node = element(
      "div.request",
      {},
      element("div.tabs", { role: "tablist" }, ...this.#tabs),
      this.#place,
      this.#error,
    );
    this.#show();
  }

  /** The request as JSON; undefined: there is no message. Throws InputError, and shows it. */
  read(): string | undefined {
    this.#error.textContent = "";
    try {
      const value = (this.#isForm ? this.#form : this.#json).read();
      return value === undefined ? undefined : toJson(value);
    } catch (error) {
      if (error instanceof InputError) this.#error.textContent = error.message;
      throw error;
    }
  }

  #choose(isForm: boolean): void {
    if (isForm === this.#isForm) return;
    try {
      const value = (this.#isForm ? this.#form : this.#json).read();
      (isForm ? this.#form : this.#json).write(value);
      this.#error.textContent = "";
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#error.textContent = error.message;
      error.control.focus();
      return;
    }
    this.#isForm = isForm;
    this.#show();
  }

  #show(): void {
    this.#tabs.forEach((tab, index) => tab.setAttribute("aria-selected", String((index === 0) === this.#isForm)));
    this.#place.replaceChildren((this.#isForm ? this.#form : this.#json).node);
  }
}
