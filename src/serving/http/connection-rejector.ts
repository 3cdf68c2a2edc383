import type { Socket } from 'node:net';

/** Rejected clients that have not closed yet. Beyond this number, connections are closed without a reply. */
const maxLingering = 50;
/** How long a rejected client may take to send a request, read its reply and close. */
const lingerMs = 1000;

/** Replies once a client has sent data, because a client cannot interpret a reply before its request. */
export class ConnectionRejector {
  readonly #reply: (address: string) => string;
  #lingering = 0;

  constructor(reply: (address: string) => string) {
    this.#reply = reply;
  }

  send(socket: Socket): void {
    if (this.#lingering >= maxLingering) {
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
    // Read and discard further data: closing a socket with unread bytes would lose the reply.
    socket.resume();
  }
}
