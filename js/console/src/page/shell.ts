// SPDX-License-Identifier: MIT
// Shell: the frame of the page: head, list of methods, and the view that the address names.
import type { Schema } from "../schema/schema.js";
import { span } from "../statistics/units.js";
import { MethodList } from "../views/method_list.js";
import { MethodView } from "../views/method_view.js";
import { Overview } from "../views/overview.js";
import type { Connection, State } from "./connection.js";
import { element } from "./element.js";
import { keyHelp } from "./key_help.js";
import { switchTheme } from "./theme.js";

const stateTexts: Record<State, string> = {
  connecting: "connecting",
  live: "live",
  lost: "no connection",
  refused: "token refused",
};

export class Shell {
  readonly node: HTMLElement;
  readonly #connection: Connection;
  readonly #list = new MethodList();
  readonly #overview = new Overview();
  readonly #main = element("main", { tabIndex: -1 });
  readonly #state = element("span.state", { role: "status" });
  readonly #facts = element("span.facts");
  readonly #help = keyHelp();
  readonly #drawer = element("aside", { "aria-label": "methods" });
  readonly #menu = element(
    "button.icon.menu",
    { type: "button", "aria-label": "methods", "aria-expanded": "false" },
    "☰",
  );
  readonly #home = element("a.home", { href: "#/" }, "Overview");
  #schema: Schema | undefined;
  #version = "";
  /** By path: what the user has typed stays while he looks at something else. */
  readonly #views = new Map<string, MethodView>();
  #view: MethodView | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#menu.addEventListener("click", () => this.#toggleDrawer());
    this.#drawer.append(this.#home, this.#list.node);
    const icon = (text: string, label: string, onclick: () => void) =>
      element("button.icon", { type: "button", "aria-label": label, title: label, onclick }, text);
    const head = element(
      "header.top",
      {},
      this.#menu,
      element("a.brand", { href: "#/" }, element("span.mark", { "aria-hidden": "true" }), "Trunkline"),
      element("span.host", {}, connection.url.host),
      this.#state,
      this.#facts,
      element("span.spring"),
      icon("?", "keys", () => this.#help.showModal()),
      icon("◐", "light or dark", switchTheme),
    );
    this.node = element("div.shell", {}, head, this.#drawer, this.#main, this.#help);
    addEventListener("hashchange", () => this.#route(true));
    addEventListener("keydown", (event) => this.#onKey(event));
    this.showState("connecting", "");
    this.#route(false);
  }

  showState(state: State, text: string): void {
    this.#state.className = `state ${state}`;
    this.#state.textContent = stateTexts[state];
    this.#state.title = text;
  }

  showSchema(schema: Schema, version: string): void {
    this.#schema = schema;
    this.#version = version;
    this.#views.clear();
    this.#list.show(schema);
    this.#route(false);
  }

  onSample(): void {
    const { last } = this.#connection.history;
    if (last)
      this.#facts.textContent = `version ${this.#version} · process ${last.processId} · up ${span(last.uptime)}`;
    if (this.#view) this.#view.onSample();
    else this.#overview.show(this.#connection.history);
  }

  /** Shows what the address names. `isNew`: the user has just gone there. */
  #route(isNew: boolean): void {
    const path = /^#\/method\/(.*)/.exec(location.hash)?.[1];
    const name = path === undefined ? "" : decodeURIComponent(path);
    this.#list.mark(name);
    if (name) this.#home.removeAttribute("aria-current");
    else this.#home.setAttribute("aria-current", "page");
    this.#toggleDrawer(false);
    const method = name ? this.#schema?.method(name) : undefined;
    this.#view = undefined;
    if (method) {
      this.#view = this.#views.get(name) ?? new MethodView(this.#connection, this.#schema!, method);
      this.#views.set(name, this.#view);
      this.#main.replaceChildren(this.#view.node);
    } else if (name && this.#schema)
      this.#main.replaceChildren(
        element("article", {}, element("h1", {}, name), element("p", {}, "The server does not describe this method.")),
      );
    else if (!name) this.#main.replaceChildren(this.#overview.node);
    document.title = `${name || "Overview"} – Trunkline console`;
    this.onSample();
    if (!isNew) return;
    this.#main.scrollTop = 0;
    const first = this.#main.querySelector<HTMLElement>(
      ".request-body input, .request-body textarea, .request-body select, button.primary",
    );
    (first ?? this.#main).focus({ preventScroll: true });
  }

  #toggleDrawer(isOpen = !this.#drawer.classList.contains("open")): void {
    this.#drawer.classList.toggle("open", isOpen);
    this.#menu.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.#list.focus();
  }

  #onKey(event: KeyboardEvent): void {
    const isControl = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && isControl && this.#view) {
      event.preventDefault();
      if (event.shiftKey) this.#view.closeWrites();
      else this.#view.start();
      return;
    }
    if (event.key === "Escape" && !this.#help.open) {
      if (this.#drawer.classList.contains("open")) this.#toggleDrawer(false);
      else this.#view?.cancel();
      return;
    }
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (isTyping || isControl || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      if (this.#menu.offsetParent) this.#toggleDrawer(true);
      else this.#list.focus();
    } else if (event.key === "g") location.hash = "#/";
    else if (event.key === "t") switchTheme();
    else if (event.key === "?" && !this.#help.open) this.#help.showModal();
  }
}
