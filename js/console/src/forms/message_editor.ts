// SPDX-License-Identifier: MIT
// MessageEditor: the fields of a message, each with its name, type and comment.
import { element, freshId } from "../page/element.js";
import type { FieldDescriptor, MessageDescriptor } from "../schema/descriptors.js";
import type { Editor } from "./editor.js";
import type { EditorFactory } from "./editor_factory.js";

export class MessageEditor implements Editor {
  readonly node: HTMLElement;
  readonly #factory: EditorFactory;
  readonly #depth: number;
  readonly #editors = new Map<FieldDescriptor, Editor>();
  /** By oneof: which of its fields is set, and the place of its editor. */
  readonly #choices: { fields: FieldDescriptor[]; select: HTMLSelectElement; place: HTMLElement }[] = [];

  constructor(message: MessageDescriptor, factory: EditorFactory, depth: number) {
    this.#factory = factory;
    this.#depth = depth;
    this.node = element(depth ? "div.message.nested" : "div.message");
    const oneofs = new Set<string>();
    for (const field of message.fields) {
      if (field.oneof === undefined) this.node.append(this.#row(field));
      else if (!oneofs.has(field.oneof)) {
        oneofs.add(field.oneof);
        this.node.append(
          this.#choice(
            field.oneof,
            message.fields.filter((each) => each.oneof === field.oneof),
          ),
        );
      }
    }
    if (!message.fields.length) this.node.append(element("p.hint", {}, "No fields."));
  }

  read(): unknown {
    const result: Record<string, unknown> = {};
    for (const [field, editor] of this.#editors) {
      const value = editor.read();
      if (value !== undefined) result[this.#factory.nameOf(field)] = value;
      else if (field.oneof) result[this.#factory.nameOf(field)] = {};
    }
    return result;
  }

  write(value: unknown): void {
    const members = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    const memberOf = (field: FieldDescriptor) => members[field.jsonName] ?? members[field.name];
    for (const { fields, select } of this.#choices) {
      const chosen = fields.find((field) => memberOf(field) !== undefined);
      select.value = chosen?.name ?? "";
      select.dispatchEvent(new Event("change"));
    }
    for (const [field, editor] of this.#editors) editor.write(memberOf(field));
  }

  #row(field: FieldDescriptor): HTMLElement {
    const id = freshId();
    const editor = this.#factory.field(field, id, this.#depth);
    this.#editors.set(field, editor);
    const isFlag = editor.node instanceof HTMLInputElement && editor.node.type === "checkbox";
    const row = element(isFlag ? "div.field.flag" : "div.field", {}, this.#head(field, id), editor.node);
    row.append(...comment(field.comment));
    return row;
  }

  #head(field: FieldDescriptor, id: string): HTMLElement {
    const name = element("label.field-name", { for: id }, this.#factory.nameOf(field));
    if (field.isDeprecated) name.classList.add("deprecated");
    return element("div.field-head", {}, name, element("span.type", {}, this.#factory.schema.typeText(field)));
  }

  #choice(name: string, fields: FieldDescriptor[]): HTMLElement {
    const id = freshId();
    const place = element("div.chosen");
    const select = element(
      "select",
      { id },
      element("option", { value: "" }, "none"),
      fields.map((field) => element("option", { value: field.name }, this.#factory.nameOf(field))),
    );
    select.addEventListener("change", () => {
      for (const field of fields) this.#editors.delete(field);
      const field = fields.find((each) => each.name === select.value);
      place.replaceChildren(...(field ? [this.#row(field)] : []));
    });
    this.#choices.push({ fields, select, place });
    const head = element(
      "div.field-head",
      {},
      element("label.field-name", { for: id }, name),
      element("span.type", {}, "oneof"),
    );
    return element("div.field.oneof", {}, head, select, place);
  }
}

function comment(text: string): HTMLElement[] {
  return text ? [element("p.comment", {}, text)] : [];
}
