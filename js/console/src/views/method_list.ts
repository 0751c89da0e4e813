// SPDX-License-Identifier: MIT
// MethodList: the services and methods of the server, with a search.
import { element } from "../page/element.js";
import type { MethodDescriptor, MethodKind, ServiceDescriptor } from "../schema/descriptors.js";
import type { Schema } from "../schema/schema.js";
import { isBuiltIn } from "../statistics/history.js";

export const kindTexts: Record<MethodKind, [glyph: string, text: string]> = {
  unary: ["→", "unary"],
  client_stream: ["⇒", "stream of requests"],
  server_stream: ["⇐", "stream of responses"],
  bidirectional: ["⇄", "stream in both directions"],
};

export class MethodList {
  readonly node: HTMLElement;
  readonly #search = element("input.search", {
    type: "search",
    hint: "Find a method",
    "aria-label": "Find a method",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    spellcheck: false,
  });
  readonly #list = element("div.services");
  #schema: Schema | undefined;
  #current = "";

  constructor() {
    this.#search.addEventListener("input", () => this.#draw());
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#search.value = "";
      if (event.key === "Escape") this.#draw();
      if (event.key === "Enter") this.#links()[0]?.click();
    });
    this.node = element(
      "div.method-list",
      {},
      element("div.search-box", {}, this.#search, element("kbd", {}, "/")),
      this.#list,
    );
    this.node.addEventListener("keydown", (event) => this.#onKey(event));
  }

  focus(): void {
    this.#search.focus();
    this.#search.select();
  }

  show(schema: Schema): void {
    this.#schema = schema;
    this.#draw();
  }

  /** `path`: of the method that is open; empty: none. */
  mark(path: string): void {
    this.#current = path;
    for (const link of this.#links()) {
      if (link.dataset["path"] === path) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  #draw(): void {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (method: MethodDescriptor) => {
      const text = `${method.path} ${method.comment}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const [own, builtIn]: [HTMLElement[], HTMLElement[]] = [[], []];
    for (const service of this.#schema?.services ?? []) {
      const methods = service.methods.filter(fits);
      if (methods.length) (isBuiltIn(`${service.name}.`) ? builtIn : own).push(section(service, methods));
    }
    const nothing = own.length + builtIn.length === 0 && this.#schema;
    this.#list.replaceChildren(
      ...own,
      ...(builtIn.length
        ? [
            element(
              "details.built-in",
              { open: words.length > 0 },
              element("summary", {}, "Built-in services"),
              builtIn,
            ),
          ]
        : []),
      ...(nothing
        ? [element("p.hint", {}, words.length ? "No method has these words." : "The server has no methods.")]
        : []),
    );
    this.mark(this.#current);
  }

  #links(): HTMLAnchorElement[] {
    return [...this.#list.querySelectorAll<HTMLAnchorElement>("a.method")];
  }

  /** The arrow keys go through the methods. */
  #onKey(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step) return;
    const stops = [this.#search, ...this.#links().filter((each) => each.offsetParent)];
    const at = stops.indexOf(document.activeElement as HTMLAnchorElement);
    const next = stops[Math.max(0, Math.min(stops.length - 1, at + step))];
    event.preventDefault();
    next?.focus();
  }
}

/** Of the page, for a method. */
export function addressOf(path: string): string {
  return `#/method/${encodeURIComponent(path)}`;
}

function section(service: ServiceDescriptor, methods: MethodDescriptor[]): HTMLElement {
  const dot = service.name.lastIndexOf(".") + 1;
  const name = element(
    "h2",
    { title: service.comment },
    dot ? element("span.package", {}, service.name.slice(0, dot)) : undefined,
    service.name.slice(dot),
  );
  const links = methods.map((method) => {
    const [glyph, kind] = kindTexts[method.kind];
    const link = element(
      "a.method",
      { href: addressOf(method.path), title: method.comment.split("\n", 1)[0] },
      element("span.glyph", { title: kind, "aria-label": kind }, glyph),
      element(method.isDeprecated ? "span.deprecated" : "span", {}, method.name),
    );
    link.dataset["path"] = method.path;
    return element("li", {}, link);
  });
  return element("section", {}, name, element("ul", {}, links));
}
