// SPDX-License-Identifier: MIT
// EditorFactory: makes the editors of messages and their fields.
import { element, freshId } from "../page/element.js";
import type { FieldDescriptor } from "../schema/descriptors.js";
import { FieldType } from "../schema/descriptors.js";
import type { Schema } from "../schema/schema.js";
import type { Editor } from "./editor.js";
import { EmptyEditor } from "./empty_editor.js";
import { JsonEditor } from "./json_editor.js";
import { ListEditor } from "./list_editor.js";
import { MapEditor } from "./map_editor.js";
import { MessageEditor } from "./message_editor.js";
import { OptionalEditor } from "./optional_editor.js";
import { ScalarEditor } from "./scalar_editor.js";
import { TextEditor, textForms } from "./text_editor.js";

const anyJson = /^google\.protobuf\.(Struct|Value|ListValue|Any)$/;
const wrapper = /^google\.protobuf\.(Double|Float|U?Int(?:32|64)|Bool|String|Bytes)Value$/;
/** Messages within messages beyond this depth are edited as JSON. */
const maxDepth = 12;

export class EditorFactory {
  readonly schema: Schema;
  /** The messages are not protobuf but plain types: see trunkline.v1.MethodFacts. */
  readonly isPlain: boolean;

  constructor(schema: Schema, isPlain: boolean) {
    this.schema = schema;
    this.isPlain = isPlain;
  }

  /** Of a whole request. */
  request(name: string): Editor {
    if (name === "google.protobuf.Empty") return new EmptyEditor(this.isPlain ? undefined : {});
    const wrapped = wrapper.exec(name);
    if (wrapped) return this.#labelled(this.#wrapped(name, freshId(), true));
    if (anyJson.test(name) || textForms[name]) return this.message(name, freshId(), 0);
    return this.message(name, freshId(), 0);
  }

  message(name: string, id: string, depth: number): Editor {
    const form = textForms[name];
    if (form) return new TextEditor(id, form);
    if (wrapper.test(name)) return this.#wrapped(name, id, true);
    const message = this.schema.message(name);
    if (anyJson.test(name) || !message || depth > maxDepth)
      return new JsonEditor(id, { rows: depth ? 3 : 6, label: name, hint: `JSON of ${name}` });
    return new MessageEditor(message, this, depth);
  }

  /** Of the name of a field in JSON. */
  nameOf(field: FieldDescriptor): string {
    return this.isPlain ? field.name : field.jsonName;
  }

  field(field: FieldDescriptor, id: string, depth: number): Editor {
    const entry = this.schema.mapEntry(field);
    if (entry) return new MapEditor(entry.key, entry.value, this, depth);
    if (field.isRepeated) return new ListEditor(() => this.value(field, freshId(), depth, true));
    const isMessage = field.type === FieldType.message || field.type === FieldType.group;
    if (!isMessage && !field.isOptional) return this.value(field, id, depth, field.oneof !== undefined);
    if (isMessage && (textForms[field.typeName] || field.oneof)) return this.value(field, id, depth, true);
    return new OptionalEditor(() => this.value(field, id, depth, true), isMessage);
  }

  /** Of one value of a field. `isPresent`: it is sent even if it is the default. */
  value(field: FieldDescriptor, id: string, depth: number, isPresent: boolean): Editor {
    if (field.type === FieldType.message || field.type === FieldType.group)
      return this.message(field.typeName, id, depth + 1);
    const enumeration = this.schema.enumeration(field.typeName);
    return new ScalarEditor({ id, type: field.type, enumeration, hasLongNumbers: this.isPlain, isPresent });
  }

  #wrapped(name: string, id: string, isPresent: boolean): Editor {
    const type = FieldType[wrapper.exec(name)![1]!.toLowerCase() as keyof typeof FieldType];
    return new ScalarEditor({ id, type, hasLongNumbers: this.isPlain, isPresent });
  }

  #labelled(editor: Editor): Editor {
    const label = element("label", { for: editor.node.id }, element("span.field-name", {}, "value"));
    const node = element("div.field", {}, element("div.field-head", {}, label), editor.node);
    return { node, read: () => editor.read(), write: (value) => editor.write(value) };
  }
}
