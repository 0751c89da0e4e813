// SPDX-License-Identifier: MIT
// element: makes an element of the page, with properties and children.

type Child = Node | string | number | undefined | null | false;
type Properties = Record<string, unknown>;

/**
 * `kind`: a tag with classes, such as `div.row.wide`. Properties that begin with `on` are listeners, those with a `-` and
 * `role` attributes; `hint` is what an empty control shows; undefined and false leave one out.
 */
export function element<Tag extends keyof HTMLElementTagNameMap = "div">(
  kind: Tag | `${Tag}.${string}`,
  properties: Properties = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[Tag] {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag as Tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name === "hint") made.setAttribute("placeholder", String(value));
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value as EventListener);
    else if (name.includes("-") || name === "role" || name === "for" || name === "list")
      made.setAttribute(name, String(value));
    else Object.assign(made, { [name]: value });
  }
  for (const child of children.flat())
    if (child !== undefined && child !== null && child !== false)
      made.append(typeof child === "number" ? String(child) : child);
  return made;
}

/** An element of SVG; all properties are attributes. */
export function drawing(tag: string, attributes: Record<string, string | number>, ...children: Node[]): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

let count = 0;
/** An id that no other element of the page has. */
export function freshId(): string {
  count += 1;
  return `e${count}`;
}
