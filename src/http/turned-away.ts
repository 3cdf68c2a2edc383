import type { Socket } from 'node:net';

/** Clients that are told to go and have not gone; beyond these, connections are cut without a word. */
const lingeringMax = 50;
/** How long one that is told to go may take to ask, to read its answer and to close. */
const lingerMs = 1000;

/**
 * Those for whose connections there is no room. Who asks for something is told so; a client that hears an answer before it
 * asked would not know what to make of it.
 */
export class TurnedAway {
  readonly #reply: (address: string) => string;
  #lingering = 0;

  constructor(reply: (address: string) => string) {
    this.#reply = reply;
  }

  send(socket: Socket): void {
    if (this.#lingering >= lingeringMax) {
      socket.destroy();
      return;
    }
    this.#lingering += 1;
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      this.#lingering -= 1;
    });
    socket.once('data', () => socket.end(this.#reply(socket.remoteAddress ?? '')));
    // Whatever else it sends is read and thrown away: closing on unread bytes would take the answer with it.
    socket.resume();
  }
}
