// SPDX-License-Identifier: MIT
// Schema: the services of a server and the types of their messages, by name.
import type {
  EnumDescriptor,
  FieldDescriptor,
  MessageDescriptor,
  MethodDescriptor,
  ServiceDescriptor,
} from "./descriptors.js";
import { FieldType, fieldTypeNames } from "./descriptors.js";
import { FileReader } from "./file_reader.js";

export class Schema {
  readonly services: ServiceDescriptor[] = [];
  readonly #messages = new Map<string, MessageDescriptor>();
  readonly #enums = new Map<string, EnumDescriptor>();
  readonly #methods = new Map<string, MethodDescriptor>();

  /** `services`: the names of those that the server offers. `files`: serialized FileDescriptorProtos. */
  constructor(services: readonly string[], files: readonly Uint8Array[]) {
    for (const bytes of files) {
      const file = new FileReader(bytes);
      for (const message of file.messages) this.#messages.set(message.name, message);
      for (const found of file.enums) this.#enums.set(found.name, found);
      this.services.push(...file.services.filter((each) => services.includes(each.name)));
    }
    this.services.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const service of this.services) for (const method of service.methods) this.#methods.set(method.path, method);
  }

  message(name: string): MessageDescriptor | undefined {
    return this.#messages.get(name);
  }

  enumeration(name: string): EnumDescriptor | undefined {
    return this.#enums.get(name);
  }

  /** By its name on the wire. */
  method(path: string): MethodDescriptor | undefined {
    return this.#methods.get(path);
  }

  /** The entry of a map; undefined for another field. */
  mapEntry(field: FieldDescriptor): { key: FieldDescriptor; value: FieldDescriptor } | undefined {
    const entry = field.isRepeated && field.type === FieldType.message ? this.message(field.typeName) : undefined;
    if (!entry?.isMapEntry) return undefined;
    const [key, value] = [1, 2].map((number) => entry.fields.find((each) => each.number === number));
    return key && value ? { key, value } : undefined;
  }

  /** As in a .proto file, such as `repeated Line` or `map<string, int32>`. */
  typeText(field: FieldDescriptor): string {
    const entry = this.mapEntry(field);
    if (entry) return `map<${this.typeText(entry.key)}, ${this.typeText(entry.value)}>`;
    const name = field.typeName ? shortName(field.typeName) : (fieldTypeNames[field.type] ?? `type ${field.type}`);
    return `${field.isRepeated ? "repeated " : field.isOptional ? "optional " : ""}${name}`;
  }
}

/** The last part of a full name. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
