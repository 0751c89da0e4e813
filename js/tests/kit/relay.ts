// SPDX-License-Identifier: MIT
// Relay: a port whose connections go to a server, byte by byte, and that fails on demand.
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export class Relay {
  readonly #server: Server;
  /** Of each connection: the client's side and the server's. */
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  /** Connections that go to no server, or not yet. */
  readonly #waiting = new Set<Socket>();
  #isStalled = false;
  /** Connections that were passed on so far. */
  opened = 0;
  /** Every HTTP request, also for a WebSocket, gets this status from the relay. */
  refuseWith: number | undefined;
  /** Requests for a WebSocket get 400, as from a proxy that knows none. */
  refusesWebSockets = false;
  /** The relay itself answers for `/page.html`, so that the page and the server are of one origin. */
  page: string | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `target`: the server's port on this host; undefined: connections are closed at once. */
  static async start(target: () => number | undefined): Promise<Relay> {
    const server = createServer({ allowHalfOpen: true });
    const relay = new Relay(server);
    server.on("connection", (client) => relay.#accept(client, target()));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  #accept(client: Socket, port: number | undefined): void {
    this.#waiting.add(client.on("close", () => this.#waiting.delete(client)));
    client.on("error", () => client.destroy());
    const { page, refusesWebSockets } = this;
    if (!this.refuseWith && !page && !refusesWebSockets) return this.#join(client, port);
    client.once("data", (data) => {
      const head = data.toString("latin1");
      const isPage = head.startsWith("GET /page.html ");
      const refuseWith = this.refuseWith ?? (refusesWebSockets && /^upgrade:/im.test(head) ? 400 : undefined);
      if (!refuseWith && !isPage) {
        client.pause().unshift(data);
        return this.#join(client, port);
      }
      const content = refuseWith ? "" : page;
      const type = "content-type: text/html; charset=utf-8\r\nconnection: close";
      client.resume().end(`HTTP/1.1 ${refuseWith ?? 200} -\r\n${type}\r\n\r\n${content}`);
    });
  }

  #join(client: Socket, port: number | undefined): void {
    if (port === undefined) return void client.destroy();
    this.#waiting.delete(client);
    ++this.opened;
    const server = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const pair = [client.setNoDelay(), server] as const;
    this.#pairs.add(pair);
    server.on("error", () => server.destroy());
    client.pipe(server);
    server.pipe(client);
    for (const side of pair) {
      side.on("close", () => {
        this.#pairs.delete(pair);
        pair.forEach((socket) => socket.destroy());
      });
    }
    if (this.#isStalled) this.stall(true);
  }

  /** Breaks all connections. */
  cut(): void {
    for (const pair of this.#pairs) pair.forEach((socket) => socket.destroy());
  }

  /** From now on nothing arrives on either side, and nobody is told; or what has waited goes on. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    for (const [client, server] of this.#pairs) {
      if (isStalled) {
        client.unpipe(server).pause();
        server.unpipe(client).pause();
      } else {
        client.pipe(server);
        server.pipe(client);
      }
    }
  }

  /** Stops listening and breaks all connections. */
  async close(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    this.cut();
    for (const client of this.#waiting) client.destroy();
    await closed;
  }
}
