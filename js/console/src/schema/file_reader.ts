// SPDX-License-Identifier: MIT
// FileReader: takes descriptors from a serialized google.protobuf.FileDescriptorProto.
import type {
  EnumDescriptor,
  FieldDescriptor,
  MessageDescriptor,
  MethodDescriptor,
  MethodKind,
  ServiceDescriptor,
} from "./descriptors.js";
import { WireReader } from "./wire_reader.js";

/** The number of the option trunkline.v1.method. */
const methodFacts = 57321;
const repeatedLabel = 3;

/** Calls a function for each field of a message; what it does not read is skipped when it returns false. */
function each(bytes: Uint8Array, visit: (reader: WireReader) => boolean | void): void {
  const reader = new WireReader(bytes);
  while (reader.next()) if (visit(reader) === false) reader.skip();
}

export class FileReader {
  readonly messages: MessageDescriptor[] = [];
  readonly enums: EnumDescriptor[] = [];
  readonly services: ServiceDescriptor[] = [];
  readonly #comments = new Map<string, string>();
  #package = "";

  /** Throws RangeError if the bytes are no message. */
  constructor(bytes: Uint8Array) {
    each(bytes, (field) => {
      if (field.number === 2) this.#package = field.string();
      else if (field.number === 9) this.#readComments(field.bytes());
      else return false;
      return;
    });
    const prefix = this.#package && `${this.#package}.`;
    const count = [0, 0, 0, 0, 0, 0, 0];
    each(bytes, (field) => {
      if (field.number === 4) this.#readMessage(field.bytes(), prefix, `4.${count[4]!++}`);
      else if (field.number === 5) this.#readEnum(field.bytes(), prefix, `5.${count[5]!++}`);
      else if (field.number === 6) this.#readService(field.bytes(), prefix, `6.${count[6]!++}`);
      else return false;
      return;
    });
  }

  #readComments(bytes: Uint8Array): void {
    each(bytes, (field) => {
      if (field.number !== 1) return false;
      const path: number[] = [];
      let comment = "";
      each(field.bytes(), (part) => {
        if (part.number === 1 && part.wireType === 2) {
          const packed = new WireReader(part.bytes());
          while (!packed.isAtEnd) path.push(packed.int());
        } else if (part.number === 1) path.push(part.int());
        else if (part.number === 3) comment = part.string();
        else return false;
        return;
      });
      if (comment) this.#comments.set(path.join("."), unwrapped(comment));
      return;
    });
  }

  #commentAt(path: string): string {
    return this.#comments.get(path) ?? "";
  }

  #readMessage(bytes: Uint8Array, prefix: string, path: string): void {
    const message: MessageDescriptor = { name: "", comment: this.#commentAt(path), fields: [], isMapEntry: false };
    const nested: Uint8Array[] = [];
    const enums: Uint8Array[] = [];
    const fields: Uint8Array[] = [];
    const oneofs: string[] = [];
    each(bytes, (field) => {
      if (field.number === 1) message.name = prefix + field.string();
      else if (field.number === 2) fields.push(field.bytes());
      else if (field.number === 3) nested.push(field.bytes());
      else if (field.number === 4) enums.push(field.bytes());
      else if (field.number === 7)
        each(field.bytes(), (option) => (option.number === 7 ? void (message.isMapEntry = option.bool()) : false));
      else if (field.number === 8)
        each(field.bytes(), (oneof) => (oneof.number === 1 ? void oneofs.push(oneof.string()) : false));
      else return false;
      return;
    });
    message.fields = fields.map((field, index) => this.#readField(field, oneofs, `${path}.2.${index}`));
    this.messages.push(message);
    nested.forEach((inner, index) => this.#readMessage(inner, `${message.name}.`, `${path}.3.${index}`));
    enums.forEach((inner, index) => this.#readEnum(inner, `${message.name}.`, `${path}.4.${index}`));
  }

  #readField(bytes: Uint8Array, oneofs: string[], path: string): FieldDescriptor {
    const found: FieldDescriptor = {
      name: "",
      jsonName: "",
      number: 0,
      type: 0,
      typeName: "",
      isRepeated: false,
      isOptional: false,
      oneof: undefined,
      isDeprecated: false,
      comment: this.#commentAt(path),
    };
    each(bytes, (field) => {
      if (field.number === 1) found.name = field.string();
      else if (field.number === 3) found.number = field.int();
      else if (field.number === 4) found.isRepeated = field.int() === repeatedLabel;
      else if (field.number === 5) found.type = field.int();
      else if (field.number === 6) found.typeName = field.string().replace(/^\./, "");
      else if (field.number === 8)
        each(field.bytes(), (option) => (option.number === 3 ? void (found.isDeprecated = option.bool()) : false));
      else if (field.number === 9) found.oneof = oneofs[field.int()];
      else if (field.number === 10) found.jsonName = field.string();
      else if (field.number === 17) found.isOptional = field.bool();
      else return false;
      return;
    });
    // `optional` has a oneof of its own.
    if (found.isOptional) found.oneof = undefined;
    found.jsonName ||= found.name.replace(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return found;
  }

  #readEnum(bytes: Uint8Array, prefix: string, path: string): void {
    const found: EnumDescriptor = { name: "", comment: this.#commentAt(path), values: [] };
    each(bytes, (field) => {
      if (field.number === 1) found.name = prefix + field.string();
      else if (field.number === 2) {
        const value = { name: "", number: 0, comment: this.#commentAt(`${path}.2.${found.values.length}`) };
        each(field.bytes(), (part) => {
          if (part.number === 1) value.name = part.string();
          else if (part.number === 2) value.number = part.int();
          else return false;
          return;
        });
        found.values.push(value);
      } else return false;
      return;
    });
    this.enums.push(found);
  }

  #readService(bytes: Uint8Array, prefix: string, path: string): void {
    const found: ServiceDescriptor = { name: "", comment: this.#commentAt(path), methods: [] };
    each(bytes, (field) => {
      if (field.number === 1) found.name = prefix + field.string();
      else if (field.number === 2)
        found.methods.push(this.#readMethod(field.bytes(), `${path}.2.${found.methods.length}`));
      else return false;
      return;
    });
    for (const method of found.methods) {
      method.service = found.name;
      method.path ||= `${found.name}/${method.name}`;
    }
    this.services.push(found);
  }

  #readMethod(bytes: Uint8Array, path: string): MethodDescriptor {
    const found: MethodDescriptor = {
      name: "",
      service: "",
      path: "",
      kind: "unary",
      request: "",
      response: "",
      codec: "",
      isIdempotent: false,
      isDeprecated: false,
      comment: this.#commentAt(path),
    };
    let streams = 0;
    each(bytes, (field) => {
      if (field.number === 1) found.name = field.string();
      else if (field.number === 2) found.request = field.string().replace(/^\./, "");
      else if (field.number === 3) found.response = field.string().replace(/^\./, "");
      else if (field.number === 4) readOptions(field.bytes(), found);
      else if (field.number === 5) streams += field.bool() ? 1 : 0;
      else if (field.number === 6) streams += field.bool() ? 2 : 0;
      else return false;
      return;
    });
    found.kind = (["unary", "client_stream", "server_stream", "bidirectional"] satisfies MethodKind[])[streams]!;
    return found;
  }
}

function readOptions(bytes: Uint8Array, method: MethodDescriptor): void {
  each(bytes, (option) => {
    if (option.number === 33) method.isDeprecated = option.bool();
    else if (option.number === 34) method.isIdempotent = option.int() !== 0;
    else if (option.number === methodFacts)
      each(option.bytes(), (fact) => {
        if (fact.number === 1) method.path = fact.string();
        else if (fact.number === 2) method.codec = fact.string();
        else return false;
        return;
      });
    else return false;
    return;
  });
}

/** A comment without the blank that each of its lines begins with. */
function unwrapped(comment: string): string {
  return comment.replace(/^ /gm, "").trim();
}
