// SPDX-License-Identifier: MIT
// Starts the page: takes the token from the page, its address or the user, and connects.
import { Connection } from "./page/connection.js";
import { Shell } from "./page/shell.js";
import { restoreTheme } from "./page/theme.js";
import { TokenPrompt } from "./views/token_prompt.js";

const key = "trunkline-console-token";

/** The server writes its token into the page, if the console has none of its own. */
function tokenOfPage(): string {
  const content = document.querySelector<HTMLMetaElement>("meta[name=trunkline-console-token]")?.content ?? "";
  return content.startsWith("@") ? "" : content;
}

/** `#token=...`, which browsers keep from servers; it is then removed. */
function tokenOfAddress(): string {
  const found = /^#token=(.*)$/.exec(location.hash)?.[1];
  if (found === undefined) return "";
  history.replaceState(null, "", "#/");
  return decodeURIComponent(found);
}

function ask(text: string): void {
  const prompt = new TokenPrompt(text, open);
  document.body.replaceChildren(prompt.node);
  prompt.focus();
}

function open(token: string): void {
  const connection = new Connection(new URL(location.href), token);
  const shell = new Shell(connection);
  document.body.replaceChildren(shell.node);
  connection.onState = (state, text) => {
    if (state === "live") sessionStorage.setItem(key, token);
    if (state !== "refused") return shell.showState(state, text);
    sessionStorage.removeItem(key);
    connection.channel.close();
    ask("The server has refused this token.");
  };
  connection.onSchema = (schema, version) => shell.showSchema(schema, version);
  connection.onSample = () => shell.onSample();
  void connection.run();
}

restoreTheme();
const token = tokenOfPage() || tokenOfAddress() || sessionStorage.getItem(key) || "";
if (token) open(token);
else ask("");
