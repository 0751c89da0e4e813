// SPDX-License-Identifier: MIT
// Socket: what this package needs of a WebSocket: part of the standard interface.

export interface Socket {
  binaryType: string;
  readonly bufferedAmount: number;
  readonly protocol: string;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}

/** The class `WebSocket` of browsers and of Node 22, the one of the package `ws`, or one like them. */
export type SocketConstructor = new (url: string, protocols: string[]) => Socket;
