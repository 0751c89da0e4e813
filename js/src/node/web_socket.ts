// SPDX-License-Identifier: MIT
// The WebSocket of the platform, and for versions of Node that have none the client that this package brings.
import type { SocketConstructor } from "../socket.js";
import { NodeWebSocket } from "./node_web_socket.js";

export function platformWebSocket(): SocketConstructor {
  return (globalThis as { WebSocket?: SocketConstructor }).WebSocket ?? NodeWebSocket;
}
