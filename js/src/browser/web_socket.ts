// SPDX-License-Identifier: MIT
// The WebSocket of the platform.
import type { SocketConstructor } from "../socket.js";

export function platformWebSocket(): SocketConstructor | undefined {
  return (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
}
