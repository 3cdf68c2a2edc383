import type { SharedState, ArbiterReply, Report } from './arbiter.ts';

/** So many subjects may wait to be told; of more, the oldest are not told. */
const pendingMax = 256;

/** SharedState that were not told yet, and until when they are news. */
interface Pending {
  readonly news: SharedState;
  readonly untilMs: number;
}

interface SharedStateBoardParts {
  readonly elapsed: () => number;
  /** Has a report be sent soon. */
  readonly soon: () => void;
}

/** What this process has to tell the others, and what it hears from them. */
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

  /** Tells all other processes, with the next report. A later word on the same subject replaces an earlier one. */
  tell(news: SharedState): void {
    this.#pending.delete(news.subject);
    this.#pending.set(news.subject, { news, untilMs: this.#elapsed() + news.forMs });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > pendingMax && oldest !== undefined) this.#pending.delete(oldest);
    this.#soon();
  }

  /** Calls the listener with what others tell. Returns how to stop that. */
  subscribe(listener: (news: SharedState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * What a report has to say; it is said again until a report was answered. What had to wait for that is true no longer
   * than it was to be, and what is over is said to nobody.
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
