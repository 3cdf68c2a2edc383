import type { News, Reply, Report } from './arbiter.ts';

/** So many subjects may wait to be told; of more, the oldest are not told. */
const pendingMax = 256;

/** What this process has to tell the others, and what it hears from them. */
export class NewsBoard {
  readonly #soon: () => void;
  readonly #pending = new Map<string, News>();
  readonly #listeners = new Set<(news: News) => void>();
  #sent: readonly News[] = [];
  #seen = 0;

  constructor(soon: () => void) {
    this.#soon = soon;
  }

  /** Tells all other processes, with the next report. A later word on the same subject replaces an earlier one. */
  tell(news: News): void {
    this.#pending.delete(news.subject);
    this.#pending.set(news.subject, news);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > pendingMax && oldest !== undefined) this.#pending.delete(oldest);
    this.#soon();
  }

  /** Calls the listener with what others tell. Returns how to stop that. */
  subscribe(listener: (news: News) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What a report has to say; it is said again until a report was answered. */
  toSend(): Pick<Report, 'news' | 'newsSeen'> {
    this.#sent = [...this.#pending.values()];
    return { news: this.#sent, newsSeen: this.#seen };
  }

  heard({ news, newsSeen }: Pick<Reply, 'news' | 'newsSeen'>): void {
    for (const sent of this.#sent) if (this.#pending.get(sent.subject) === sent) this.#pending.delete(sent.subject);
    this.#seen = newsSeen;
    for (const each of news) for (const listener of this.#listeners) listener(each);
  }
}
