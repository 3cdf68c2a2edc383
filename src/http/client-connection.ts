import type { Socket } from 'node:net';
import { plainAddress } from './client-address.ts';
import type { HttpFault } from './fault.ts';
import { type ProbedConnection, probeForLeaving } from './leave-probe.ts';
import { hasUntaken, takenBytes } from './socket-progress.ts';

/** A request that waits for its turn on a connection. */
export interface PipelinedRequest extends ProbedConnection {
  /** Whether bytes of the request itself are still expected. */
  readonly isReceiving: boolean;
  begin(): void;
  /** The rest of the body will not come, or not in a form that can be read. */
  breakBody(fault: HttpFault): void;
  /** Whether it is us who keep the client from sending its body. */
  readonly isHeldUp: boolean;
  /** Answers with the error, unless the reply has begun. */
  giveUp(error: unknown): void;
  /** The connection is gone. */
  closed(): void;
}

/** Requests a client may send ahead of their replies; it has to send the others again over a new connection. */
const requestsMax = 64;

/**
 * One client connection. Its requests are answered one at a time, in the order they came; bytes that are no request are
 * refused when the requests before them have been answered, and are the last thing the connection is used for.
 */
export class ClientConnection {
  /** Where it comes from; known also when it is gone. */
  readonly peer: string;
  readonly #socket: Socket;
  readonly #lingerMs: number;
  /** The first one is being answered, the others wait. */
  readonly #requests: PipelinedRequest[] = [];
  #lastWord: (() => void) | undefined;
  #hasClientFinished = false;
  #isClosing = false;
  #lingering: NodeJS.Timeout | undefined;
  #takenBefore: number | undefined;

  constructor(socket: Socket, lingerMs: number) {
    this.#socket = socket;
    this.peer = plainAddress(socket.remoteAddress ?? '') ?? '';
    this.#lingerMs = lingerMs;
    socket.on('error', ignore);
    this.listenLast();
    // Node ends a connection after its last reply with this; at once, which would reset clients that are still sending.
    socket.destroySoon = () => this.close();
  }

  /** Of those who listen to the socket now it hears the end last. */
  listenLast(): void {
    this.#socket.off('end', this.#clientFinished).on('end', this.#clientFinished);
    this.#socket.off('close', this.#closed).on('close', this.#closed);
  }

  get isIdle(): boolean {
    return this.#requests.length === 0 && !this.isGivenUp;
  }

  /** Whether nothing the client sends from now on will be looked at. */
  get isGivenUp(): boolean {
    return this.#isClosing || this.#lastWord !== undefined;
  }

  /** Whether something is still owed after the reply to the current request. */
  get isOwing(): boolean {
    return this.#requests.length > 1 || this.#lastWord !== undefined;
  }

  /** Whether the client will send no more. */
  get hasClientFinished(): boolean {
    return this.#hasClientFinished;
  }

  /** Whether the client cannot be blamed for a body that does not arrive. */
  get isHeldUp(): boolean {
    return this.#requests.at(-1)?.isHeldUp ?? false;
  }

  /** Takes a request in and begins it when it is its turn. */
  enter(request: PipelinedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length === requestsMax) {
      this.#lastWord = () => this.close();
      this.#socket.pause();
    }
    if (this.#requests.length === 1) request.begin();
  }

  /** The current request is over. */
  leave(request: PipelinedRequest): void {
    if (this.#requests[0] !== request) return;
    this.#requests.shift();
    if (this.#isClosing) return;
    const next = this.#requests[0];
    if (!next) return this.#lastWord?.();
    // Node's time for idle connections may have begun with the reply before, and this one may have nothing to say for long.
    this.#socket.setTimeout(0);
    next.begin();
    if (this.#hasClientFinished) probeForLeaving(next);
  }

  /**
   * Gives up on what the client sends. If that is the rest of a body, its request gets the fault; otherwise `reply` goes
   * out after the replies that are still owed.
   */
  refuse(fault: HttpFault, reply: () => string): void {
    const newest = this.#requests.at(-1);
    if (newest?.isReceiving) {
      this.#lastWord = () => this.close();
      newest.breakBody(fault);
      return;
    }
    this.#lastWord = () => {
      this.#socket.write(reply());
      this.close();
    };
    if (!newest) this.#lastWord();
  }

  /** Ends our side and leaves the client time to read the reply and to stop sending; what it sends is thrown away. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.end();
    // The parser goes first: it would make a request of everything that still arrives.
    this.#socket.removeAllListeners('data').on('data', ignore).resume();
    this.#lingering = setTimeout(() => this.#socket.destroy(), this.#lingerMs).unref();
  }

  /** Answers the current request with the error, unless its reply has begun; those behind it get their turn. */
  giveUp(error: unknown): void {
    this.#requests[0]?.giveUp(error);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Notes how much the client has taken so far. */
  noteTaken(): void {
    this.#takenBefore = takenBytes(this.#socket);
  }

  /** Cuts a client that has taken nothing since then, although something waits for it. */
  cutIfStopped(): void {
    // A reset also gives back what the system keeps for it.
    if (takenBytes(this.#socket) === this.#takenBefore && hasUntaken(this.#socket)) this.#socket.resetAndDestroy();
  }

  readonly #clientFinished = (): void => {
    this.#hasClientFinished = true;
    const current = this.#requests[0];
    if (current) probeForLeaving(current);
  };

  readonly #closed = (): void => {
    this.#isClosing = true;
    clearTimeout(this.#lingering);
    for (const request of this.#requests.splice(0)) request.closed();
  };
}

function ignore(): void {}
