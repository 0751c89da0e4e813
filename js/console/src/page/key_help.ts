// SPDX-License-Identifier: MIT
// keyHelp: a dialog that lists the keys.
import { element } from "./element.js";

const keys: [string, string][] = [
  ["/", "find a method"],
  ["↑ ↓", "go through the methods"],
  ["g", "go to the overview"],
  ["Ctrl Enter", "call, open a stream, or send"],
  ["Ctrl Shift Enter", "end the requests of a stream"],
  ["Esc", "cancel the call"],
  ["t", "light or dark"],
  ["?", "this list"],
];

export function keyHelp(): HTMLDialogElement {
  const rows = keys.map(([key, text]) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row" },
        key.split(" ").flatMap((each) => [element("kbd", {}, each), " "]),
      ),
      element("td", {}, text),
    ),
  );
  const dialog = element(
    "dialog",
    { "aria-label": "keys" },
    element("h2", {}, "Keys"),
    element("table", {}, element("tbody", {}, rows)),
    element("form", { method: "dialog" }, element("button.primary", {}, "Close")),
  );
  return dialog;
}
