import type { Socket } from 'node:net';
import { normalizeAddress } from './client-address.ts';
import type { HttpFault } from './fault.ts';
import { acceptedBytes, hasUnacceptedBytes } from './slow-client-timeout.ts';

/** A request on a connection. It begins when the requests before it have been answered. */
export interface PipelinedRequest {
  /** Whether bytes of the request itself are still expected. */
  readonly isReceiving: boolean;
  begin(): void;
  /** The rest of the body will not arrive, or cannot be parsed. */
  breakBody(fault: HttpFault): void;
  /** Whether the gateway, not the client, delays the body. */
  readonly isDelayedByGateway: boolean;
  /** Answers with the error, unless the reply has begun. */
  giveUp(error: unknown): void;
  /** Sends a harmless part of the reply as a probe; `false` if there is nothing to send or no reason to. */
  probe(): boolean;
  closed(): void;
}

/** How many requests a client may pipeline. It must resend the others on a new connection. */
const requestsMax = 64;

/** Answers requests one at a time, in order. Rejects invalid bytes after the earlier replies, and then closes. */
export class ClientConnection {
  /** The client's address; still available after the connection has closed. */
  readonly peer: string;
  readonly #socket: Socket;
  readonly #lingerMs: number;
  /** The first one is being answered, the others are queued. */
  readonly #requests: PipelinedRequest[] = [];
  #finalStep: (() => void) | undefined;
  hasClientFinished = false;
  #isClosing = false;
  #lingerTimer: NodeJS.Timeout | undefined;
  #readBefore: number | undefined;

  constructor(socket: Socket, lingerMs: number) {
    this.#socket = socket;
    this.peer = normalizeAddress(socket.remoteAddress ?? '') ?? '';
    this.#lingerMs = lingerMs;
    socket.on('error', ignore);
    this.listenLast();
    // Node calls this after the last reply. Node's own version closes at once, which resets clients that still send.
    socket.destroySoon = () => this.close();
  }

  /** Moves the `end` and `close` listeners of this connection after all others on the socket. */
  listenLast(): void {
    this.#socket.off('end', this.#onEnd).on('end', this.#onEnd);
    this.#socket.off('close', this.#onClose).on('close', this.#onClose);
  }

  get isIdle(): boolean {
    return this.#requests.length === 0 && !this.isGivenUp;
  }

  /** Whether all further data from the client is ignored. */
  get isGivenUp(): boolean {
    return this.#isClosing || this.#finalStep !== undefined;
  }

  get hasPendingReply(): boolean {
    return this.#requests.length > 1 || this.#finalStep !== undefined;
  }

  get isDelayedByGateway(): boolean {
    return this.#requests.at(-1)?.isDelayedByGateway ?? false;
  }

  enter(request: PipelinedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length === requestsMax) {
      this.#finalStep = () => this.close();
      this.#socket.pause();
    }
    if (this.#requests.length === 1) request.begin();
  }

  leave(request: PipelinedRequest): void {
    if (this.#requests[0] !== request) return;
    this.#requests.shift();
    if (this.#isClosing) return;
    const next = this.#requests[0];
    if (!next) return this.#finalStep?.();
    // Node's idle timer may run since the previous reply, and this request may produce no output for a long time.
    this.#socket.setTimeout(0);
    next.begin();
    if (this.hasClientFinished) probeForLeaving(next);
  }

  /** Ignores all further data. An arriving body gets the fault; otherwise `reply` follows the pending replies. */
  refuse(fault: HttpFault, reply: () => string): void {
    const newest = this.#requests.at(-1);
    if (newest?.isReceiving) {
      this.#finalStep = () => this.close();
      newest.breakBody(fault);
      return;
    }
    this.#finalStep = () => {
      this.#socket.write(reply());
      this.close();
    };
    if (!newest) this.#finalStep();
  }

  /** Ends the gateway's side. The client has `lingerMs` to read the reply; everything it still sends is discarded. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.end();
    // Remove the parser first: it would parse a request from everything that still arrives.
    this.#socket.removeAllListeners('data').on('data', ignore).resume();
    this.#lingerTimer = setTimeout(() => this.#socket.destroy(), this.#lingerMs).unref();
  }

  /** Answers the current request with the error, unless its reply has begun. The requests after it then begin. */
  giveUp(error: unknown): void {
    this.#requests[0]?.giveUp(error);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  recordProgress(): void {
    this.#readBefore = acceptedBytes(this.#socket);
  }

  /** Resets the connection if the client has read nothing since then although data is waiting. */
  resetIfStalled(): void {
    // A reset also frees the kernel's buffers for this client.
    if (acceptedBytes(this.#socket) === this.#readBefore && hasUnacceptedBytes(this.#socket))
      this.#socket.resetAndDestroy();
  }

  readonly #onEnd = (): void => {
    this.hasClientFinished = true;
    const current = this.#requests[0];
    if (current) probeForLeaving(current);
  };

  readonly #onClose = (): void => {
    this.#isClosing = true;
    clearTimeout(this.#lingerTimer);
    for (const request of this.#requests.splice(0)) request.closed();
  };
}

function ignore(): void {}

/** Delays between probes. A probe fails if the client answered an earlier one with a reset. */
const pausesMs = [20, 80, 300, 1000, 3000];

/**
 * Detects whether a client that stopped sending still reads. A client that left and one that only closed its sending
 * side look the same until the gateway writes. So small parts of the reply are written early: the write fails if the
 * client left, and otherwise it is part of the reply.
 */
function probeForLeaving(probed: PipelinedRequest): void {
  let round = 0;
  const next = (): void => {
    if (!probed.probe()) return;
    const pauseMs = pausesMs[round];
    round += 1;
    if (pauseMs !== undefined) setTimeout(next, pauseMs).unref();
  };
  next();
}
