// SPDX-License-Identifier: MIT
// The console of servers in C++ and Python in headless Chromium, by clicks and keys.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { ConsoleServer } from "../kit/console_server.js";
import type { Language } from "../kit/interop_server.js";
import { Relay } from "../kit/relay.js";

const token = "a token of the console";
/** A folder for pictures of the page; none are made without it. */
const pictures = process.env.TRUNKLINE_PICTURES;

let browser: Browser;
/** That of the tests which are running. */
let server: ConsoleServer;

before(async () => {
  const executablePath = process.env.TRUNKLINE_CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  if (pictures) await mkdir(pictures, { recursive: true });
});
after(async () => {
  await browser?.close();
});

/** Of pages: what their console and their exceptions say, which must be nothing. */
const complaints: string[] = [];

async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20000);
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(address);
  return page;
}

async function openMethod(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await open(`${server.page}#/method/${encodeURIComponent(path)}`, options);
  await page.locator(".request-body").waitFor();
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` });
}

/** The text of the first part of the page that has this and the pattern. */
async function waitFor(page: Page, part: string, pattern: RegExp): Promise<string> {
  const found = page.locator(part, { hasText: pattern }).first();
  await found.waitFor();
  return found.innerText();
}

const status = (page: Page, pattern: RegExp) => waitFor(page, ".status", pattern);
const shown = (page: Page) => page.locator(".messages").innerText();

function defineConsoleTests(language: Language): void {
  before(async () => {
    server = await ConsoleServer.start(language);
  });
  after(async () => {
    await server?.stop();
  });

  test("lists services and methods with their comments", async () => {
    const page = await open(server.page);
    await waitFor(page, ".state", /^live$/);

    assert.match(await page.locator(".services").innerText(), /shop\.v1\.Orders[\s\S]*Place[\s\S]*Chat[\s\S]*Greet/);
    await page.getByRole("link", { name: "Get", exact: false }).first().click();
    assert.match(await waitFor(page, ".method-comment", /./), /Returns an order by its number\./);
    assert.deepEqual(await page.locator(".badges .badge").allInnerTexts(), ["→ unary", "idempotent"]);
    await page.context().close();
  });

  test("makes a unary call from a form, by clicks", async () => {
    const page = await openMethod("shop.v1.Orders/Place");
    const field = (name: string) =>
      page.locator(".field", { has: page.locator(`.field-name:text-is("${name}")`) }).last();
    await page.getByLabel("customer").fill("Ada\nLovelace");
    await field("lines").getByRole("button", { name: "+ add" }).click();
    await page.getByLabel("article").fill("A-17");
    await page.getByLabel("amount").fill("3");
    await field("price").getByRole("button", { name: "+ set" }).click();
    await field("price").locator("input").fill("9007199254740993");
    await page.getByLabel("payment").selectOption("CARD");
    await page.getByLabel("destination").selectOption("address");
    await page.getByLabel("city").fill("London");
    await field("due").getByRole("button", { name: "now" }).click();
    await page.getByLabel("patience").fill("1.5s");
    await field("labels").getByRole("button", { name: "+ add" }).click();
    await page.getByLabel("key", { exact: true }).fill("a");
    await page.getByLabel("value", { exact: true }).fill("b");
    await page.getByLabel("gift").check();
    await page.getByLabel("signature").fill("AQI=");
    await page.getByRole("button", { name: "+ metadata" }).click();
    await page.getByLabel("name of metadata").fill("who");
    await page.getByLabel("value of metadata").fill("me");

    await page.getByRole("button", { name: "Call", exact: true }).click();

    await status(page, /^OK \d/);
    const response = JSON.parse(await shown(page));
    assert.equal(response.number, "18446744073709551615");
    assert.match(response.request.due, /^\d{4}-\d\d-\d\dT/);
    delete response.request.due;
    assert.deepEqual(response.request, {
      customer: "Ada\nLovelace",
      lines: [{ article: "A-17", amount: 3, price: "9007199254740993" }],
      payment: "CARD",
      address: { city: "London" },
      patience: "1.500s",
      labels: { a: "b" },
      gift: true,
      signature: "AQI=",
    });
    const metadata = await page.locator(".rest").innerText();
    assert.match(metadata, /Leading metadata\s+shop-region\s+north/);
    assert.match(metadata, /Trailing metadata\s+shop-who\s+me/);
    await page.context().close();
  });

  test("changes between form and JSON, and says what is wrong", async () => {
    const page = await openMethod("shop.v1.Orders/Get");
    await page.getByLabel("number").fill("18446744073709551615");
    await page.getByRole("tab", { name: "JSON" }).click();
    assert.equal(await page.getByLabel("request as JSON").inputValue(), '{ "number": "18446744073709551615" }');
    await page.getByLabel("request as JSON").fill('{"number": 12');
    await page.getByRole("tab", { name: "Form" }).click();
    await waitFor(page, ".input-error", /JSON/);
    await page.getByLabel("request as JSON").fill('{"number": 12}');
    await page.getByRole("tab", { name: "Form" }).click();
    assert.equal(await page.getByLabel("number").inputValue(), "12");

    for (const [text, error] of [
      ["x", /'x' is not a whole number from 0 on/],
      ["18446744073709551616", /does not fit into 64 bits/],
    ] as const) {
      await page.getByLabel("number").fill(text);
      await page.keyboard.press("Control+Enter");
      await waitFor(page, ".input-error", error);
    }
    assert.equal(await page.locator(".status").innerText(), "Not called yet");
    await page.context().close();
  });

  test("shows errors with their details", async () => {
    const page = await openMethod("shop.v1.Orders/Place");

    await page.getByRole("button", { name: "Call", exact: true }).click();

    assert.match(await status(page, /INVALID_ARGUMENT/), /place: the order has no lines/);
    assert.match(await page.locator(".rest").innerText(), /Detail shop\.v1\.Line\s+\{ "article": "none" \}/);
    await picture(page, "error");
    await page.context().close();
  });

  test("makes all calls by keys alone", async () => {
    const page = await open(server.page);
    await waitFor(page, ".services", /Greet/);

    await page.keyboard.press("/");
    await page.keyboard.type("greet");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".request-body textarea").waitFor();
    await page.keyboard.type("world");
    await page.keyboard.press("Control+Enter");
    await status(page, /^OK/);
    assert.equal(await shown(page), '"hello, world"');

    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("g");
    await page.locator(".overview").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "keys" }).waitFor();
    await page.keyboard.press("Escape");
    const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.keyboard.press("t");
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
    await page.context().close();
  });

  test("shows a stream of the server live, and cancels it", async () => {
    const page = await openMethod("shop.v1.Orders/WatchPrice");
    await page.getByLabel("article").fill("A");

    await page.keyboard.press("Control+Enter");
    await status(page, /RUNNING.*[1-9]\d received/);
    await page.keyboard.press("Escape");

    assert.match(await status(page, /CANCELLED/), /This page ended the call/);
    await page.getByLabel("limit").fill("3");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await status(page, /^OK .*1 sent, 3 received/);
    assert.match(await shown(page), /"cents": "1"[\s\S]*"cents": "2"[\s\S]*"cents": "3"/);
    await page.context().close();
  });

  test("sends a stream of requests", async () => {
    const page = await openMethod("shop.v1.Orders/Total");
    await page.getByRole("button", { name: "Open stream" }).click();
    for (const amount of ["2", "40"]) {
      await page.getByLabel("amount").fill(amount);
      await page.getByRole("button", { name: "Send" }).click();
    }
    await page.getByRole("button", { name: "End requests" }).click();

    await status(page, /^OK .*2 sent, 1 received/);
    assert.match(await shown(page), /\{ "amount": "42" \}/);
    await page.context().close();
  });

  test("talks in both directions, by keys", async () => {
    const page = await openMethod("shop.v1.Orders/Chat", { colorScheme: "dark" });
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Send" }).waitFor();
    for (const text of ["one", "two"]) {
      await page.getByLabel("text").fill(text);
      await page.keyboard.press("Control+Enter");
      await waitFor(page, ".messages", new RegExp(`you said: ${text}`));
    }
    await page.keyboard.press("Control+Shift+Enter");

    await status(page, /^OK .*2 sent, 2 received/);
    await picture(page, "dark");
    await page.context().close();
  });

  test("ends a stream of requests at its timeout, which it has if one is set", async () => {
    const page = await openMethod("shop.v1.Orders/Chat");
    const timeout = page.getByLabel("timeout");
    assert.equal(await timeout.inputValue(), "");
    await timeout.fill("300");
    await page.locator(".request-body").click();
    await page.getByRole("button", { name: "Open stream" }).click();

    await status(page, /^DEADLINE_EXCEEDED/i);
    await page.context().close();
  });

  test("gives the call as code", async () => {
    const page = await openMethod("Greet");
    await page.getByLabel("value", { exact: true }).fill("it's");
    const codes: string[] = [];
    for (const name of ["trunkline", "curl", "C++", "Python"]) {
      await page.getByRole("tab", { name, exact: true }).click();
      codes.push(await page.locator(".snippet").innerText());
    }

    assert.match(codes[0]!, /^trunkline call tcp:\/\/127\.0\.0\.1:\d+ Greet \\\n.*\\\n  --json '"it'\\''s"'$/);
    assert.match(codes[1]!, /^curl http:\/\/127\.0\.0\.1:\d+\/Greet/);
    assert.match(codes[2]!, /channel\.call<std::string>\("Greet", request/);
    assert.match(codes[3]!, /channel\.call\("Greet", "it's", timeout=10\)/);
    await page.context().close();
  });

  test("shows what the server does", async () => {
    const page = await openMethod("Load");
    await page.getByLabel("value", { exact: true }).fill(pictures ? "60" : "20");
    await page.keyboard.press("Control+Enter");
    await status(page, /^OK/);
    await page.getByRole("link", { name: "Overview" }).click();
    await waitFor(page, ".tile", /Calls per second\s*[1-9]/);
    await waitFor(page, ".tile", /Connections\s*\d+.*\d websocket/);
    await waitFor(page, ".tile", /Memory for clients\s*[\d.]+ \w+\s*of 1 GiB/);
    await waitFor(page, ".chart", /Errors per second by code[\s\S]*not_found/);
    await waitFor(page, ".chart", /Connections by protocol[\s\S]*native [\s\S]*websocket/);
    await waitFor(page, "table.slow", /Report\s*\d+ ms/);

    const table = page.locator("table.numbers").first();
    await table.getByRole("button", { name: "p99" }).click();
    assert.equal(await table.locator("th", { hasText: "p99" }).getAttribute("aria-sort"), "descending");
    assert.match(await table.locator("tbody tr").first().innerText(), /^Report|^shop/);
    if (pictures) await page.waitForTimeout(30000);
    await picture(page, "load");
    await page.evaluate(() => document.querySelector("main")!.scrollTo(0, 2000));
    await picture(page, "load_below");
    await page.context().close();
  });

  test("fits on a narrow screen", async () => {
    const page = await open(server.page, { viewport: { width: 360, height: 740 }, hasTouch: true });
    await waitFor(page, ".state", /^live$/);
    await picture(page, "narrow");
    await page.getByRole("button", { name: "methods" }).click();
    await page.locator("aside").getByRole("link", { name: "Greet" }).click();
    await page.getByLabel("value", { exact: true }).fill("narrow");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await status(page, /^OK/);
    await picture(page, "narrow_call");

    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(overflow, 0);
    await page.context().close();
  });

  test("comes back when its connection does", async (t) => {
    let own = await ConsoleServer.start(language, token);
    const relay = await Relay.start(() => own.port);
    t.after(async () => {
      await relay.close();
      await own.stop();
    });
    const page = await open(`http://127.0.0.1:${relay.port}/console#token=${encodeURIComponent(token)}`);
    await waitFor(page, ".state", /^live$/);

    await own.kill();
    await waitFor(page, ".state", /^no connection$/);
    own = await ConsoleServer.start(language, token);

    await waitFor(page, ".state", /^live$/);
    await page.context().close();
  });

  test("asks for a token", async (t) => {
    const own = await ConsoleServer.start(language, token);
    t.after(() => own.stop());
    const page = await open(own.page);
    await page.getByLabel("Token").fill("another token of the console");
    await page.keyboard.press("Enter");
    await waitFor(page, ".token", /The server has refused this token\./);
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Open" }).click();
    await waitFor(page, ".state", /^live$/);
    await page.reload();
    await waitFor(page, ".state", /^live$/);
    assert.doesNotMatch(page.url(), /token/);
    await page.context().close();
  });

  test("complains about nothing", () => {
    assert.deepEqual(
      complaints.splice(0).filter((each) => !/WebSocket connection to .* failed/.test(each)),
      [],
    );
  });
}

for (const language of ["C++", "Python"] as Language[]) {
  describe(`the console in Chromium, ${language}`, { skip: ConsoleServer.whyNone(language) }, () =>
    defineConsoleTests(language),
  );
}
