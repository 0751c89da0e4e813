// SPDX-License-Identifier: MIT
// MapEditor: the entries of a map.
import { element, freshId } from "../page/element.js";
import type { FieldDescriptor } from "../schema/descriptors.js";
import { InputError, type Editor } from "./editor.js";
import type { EditorFactory } from "./editor_factory.js";
import { ListEditor } from "./list_editor.js";

export class MapEditor implements Editor {
  readonly node: HTMLElement;
  readonly #entries: ListEditor;

  constructor(key: FieldDescriptor, value: FieldDescriptor, factory: EditorFactory, depth: number) {
    this.#entries = new ListEditor(() => {
      const keys = factory.value(key, freshId(), depth, true);
      const values = factory.value(value, freshId(), depth, true);
      keys.node.setAttribute("aria-label", "key");
      values.node.setAttribute("aria-label", "value");
      return {
        node: element("div.entry", {}, keys.node, values.node),
        read: () => ({ control: keys.node, entry: [String(keys.read()), values.read() ?? {}] as const }),
        write: (entry) => {
          const [name, content] = entry as [unknown, unknown];
          keys.write(name);
          values.write(content);
        },
      };
    });
    this.node = this.#entries.node;
  }

  read(): unknown {
    const entries = this.#entries.read() as { control: HTMLElement; entry: readonly [string, unknown] }[] | undefined;
    if (!entries) return undefined;
    // Without a prototype, so that any text can be a key.
    const result: Record<string, unknown> = Object.create(null);
    for (const { control, entry } of entries) {
      if (entry[0] in result) throw new InputError(control, `the key '${entry[0]}' occurs twice`);
      result[entry[0]] = entry[1];
    }
    return result;
  }

  write(value: unknown): void {
    this.#entries.write(typeof value === "object" && value !== null ? Object.entries(value) : undefined);
  }
}
