// SPDX-License-Identifier: MIT
// typeTree: the definitions of messages, and of all that they consist of.
import { element } from "../page/element.js";
import type { EnumDescriptor, MessageDescriptor } from "../schema/descriptors.js";
import type { Schema } from "../schema/schema.js";

/** Types that everybody knows are not spelled out. */
const wellKnown = /^google\.protobuf\./;

export function typeTree(schema: Schema, names: string[]): HTMLElement {
  const seen = new Set<string>();
  const nodes: HTMLElement[] = [];
  const waiting = [...names];
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const message = schema.message(name);
    const enumeration = schema.enumeration(name);
    if (enumeration) nodes.push(enumNode(enumeration));
    if (!message || wellKnown.test(name)) continue;
    if (!message.isMapEntry) nodes.push(messageNode(schema, message));
    waiting.push(...message.fields.map((field) => field.typeName).filter(Boolean));
  }
  return element(
    "div.types",
    {},
    nodes.length ? nodes : element("p.hint", {}, `${[...new Set(names)].join(", ")}: well-known types of protobuf`),
  );
}

function messageNode(schema: Schema, message: MessageDescriptor): HTMLElement {
  const rows = message.fields.map((field) =>
    element(
      "tr",
      {},
      element("td.number", {}, field.number),
      element("th", { scope: "row" }, element(field.isDeprecated ? "code.deprecated" : "code", {}, field.name)),
      element("td", {}, element("code.type", {}, schema.typeText(field))),
      element("td.comment", {}, field.oneof && element("span.badge", {}, `oneof ${field.oneof}`), field.comment),
    ),
  );
  return typeNode("message", message.name, message.comment, rows);
}

function enumNode(found: EnumDescriptor): HTMLElement {
  const rows = found.values.map((value) =>
    element(
      "tr",
      {},
      element("td.number", {}, value.number),
      element("th", { scope: "row" }, element("code", {}, value.name)),
      element("td"),
      element("td.comment", {}, value.comment),
    ),
  );
  return typeNode("enum", found.name, found.comment, rows);
}

function typeNode(kind: string, name: string, comment: string, rows: HTMLElement[]): HTMLElement {
  return element(
    "details.type-node",
    { open: true },
    element("summary", {}, element("span.type", {}, `${kind} `), element("code", {}, name)),
    comment ? element("p.comment", {}, comment) : undefined,
    rows.length ? element("table", {}, element("tbody", {}, rows)) : element("p.hint", {}, "No fields."),
  );
}
