// SPDX-License-Identifier: MIT
// CallOptions: what a caller says about one call.
import type { Codec } from "./codecs/codec.js";
import type { Metadata, MetadataLike } from "./metadata.js";

export interface CallOptions {
  /** Milliseconds until the call ends with `deadline_exceeded`. The channel's `defaultTimeout` by default. */
  timeout?: number | undefined;
  /** Cancels the call. */
  signal?: AbortSignal | undefined;
  metadata?: MetadataLike | undefined;
  /** The name of a codec of the channel, or one of such a name. Default: `bytes` for a Uint8Array, else the channel's. */
  codec?: Codec | string | undefined;
  /**
   * What happens while there is no connection. True: the call waits for one. False, the default: it fails with
   * `unavailable` as soon as an attempt to connect has failed.
   */
  waitForReady?: boolean | undefined;
  /** The call may run twice without harm, so that it is sent again when its connection is lost. */
  idempotent?: boolean | undefined;
  /** The call changes nothing: over fetch it is a GET, which caches may answer. */
  noSideEffects?: boolean | undefined;
  /** Gets what the server sends before its first message. */
  onLeadingMetadata?: ((metadata: Metadata) => void) | undefined;
  /** Gets what the server sends with the status. */
  onTrailingMetadata?: ((metadata: Metadata) => void) | undefined;
}
