import type { SharedState, ArbiterReply, Report } from './arbiter.ts';

/** The most subjects that may wait to be sent; beyond that, the oldest are dropped. */
const pendingMax = 256;

/** Shared state that was not sent yet, and when it expires. */
interface Pending {
  readonly news: SharedState;
  readonly untilMs: number;
}

interface SharedStateBoardParts {
  readonly elapsed: () => number;
  /** Requests an early report. */
  readonly soon: () => void;
}

/** Sends the shared state of this process to the others, and passes on theirs. */
export class SharedStateBoard {
  readonly #elapsed: () => number;
  readonly #soon: () => void;
  readonly #pending = new Map<string, Pending>();
  readonly #listeners = new Set<(news: SharedState) => void>();
  #sent: readonly Pending[] = [];
  #seen = 0;

  constructor({ elapsed, soon }: SharedStateBoardParts) {
    this.#elapsed = elapsed;
    this.#soon = soon;
  }

  /**
   * Broadcasts to all other processes, with the next report. A later value of the same subject replaces an earlier one.
   */
  tell(news: SharedState): void {
    this.#pending.delete(news.subject);
    this.#pending.set(news.subject, { news, untilMs: this.#elapsed() + news.forMs });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > pendingMax && oldest !== undefined) this.#pending.delete(oldest);
    this.#soon();
  }

  /** Calls the listener with the shared state of other processes. Returns a function that ends the subscription. */
  subscribe(listener: (news: SharedState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The shared state for a report. It is repeated until a report was answered. Time spent waiting shortens its
   * validity, and expired state is not sent.
   */
  toSend(): Pick<Report, 'news' | 'newsSeen'> {
    const nowMs = this.#elapsed();
    for (const [subject, { untilMs }] of this.#pending) if (untilMs <= nowMs) this.#pending.delete(subject);
    this.#sent = [...this.#pending.values()];
    const news = this.#sent.map(({ news: each, untilMs }) => ({ ...each, forMs: untilMs - nowMs }));
    return { news, newsSeen: this.#seen };
  }

  heard({ news, newsSeen }: Pick<ArbiterReply, 'news' | 'newsSeen'>): void {
    for (const sent of this.#sent) {
      if (this.#pending.get(sent.news.subject) === sent) this.#pending.delete(sent.news.subject);
    }
    this.#seen = newsSeen;
    for (const each of news) for (const listener of this.#listeners) listener(each);
  }
}
