import type { SharedState, ArbiterReply, Report } from './arbiter.ts';

/** The most subjects that may wait to be sent; beyond that, the oldest are dropped. */
const pendingMax = 256;

/** Shared state that was not sent yet, and when it expires. */
interface Pending {
  readonly state: SharedState;
  readonly untilMs: number;
}

/** Sends the shared state of this process to the others, and passes on theirs. */
export class SharedStateBoard {
  readonly #elapsed: () => number;
  readonly #requestReport: () => void;
  readonly #pending = new Map<string, Pending>();
  readonly #listeners = new Set<(state: SharedState) => void>();
  #sent: readonly Pending[] = [];
  #seen = 0;

  /** `requestReport` requests an early report. */
  constructor(elapsed: () => number, requestReport: () => void) {
    this.#elapsed = elapsed;
    this.#requestReport = requestReport;
  }

  /** Broadcasts with the next report. A later value of the same subject replaces an earlier one. */
  broadcast(state: SharedState): void {
    this.#pending.delete(state.subject);
    this.#pending.set(state.subject, { state, untilMs: this.#elapsed() + state.forMs });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > pendingMax && oldest !== undefined) this.#pending.delete(oldest);
    this.#requestReport();
  }

  /** Calls the listener with the shared state of other processes. Returns a function that ends the subscription. */
  subscribe(listener: (state: SharedState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Repeated until a report was answered. Waiting shortens its validity; expired state is not sent. */
  toSend(): Pick<Report, 'sharedState' | 'sharedStateSeen'> {
    const nowMs = this.#elapsed();
    for (const [subject, { untilMs }] of this.#pending) if (untilMs <= nowMs) this.#pending.delete(subject);
    this.#sent = [...this.#pending.values()];
    const sharedState = this.#sent.map(({ state, untilMs }) => ({ ...state, forMs: untilMs - nowMs }));
    return { sharedState, sharedStateSeen: this.#seen };
  }

  applyReply({ sharedState, sharedStateSeen }: Pick<ArbiterReply, 'sharedState' | 'sharedStateSeen'>): void {
    for (const sent of this.#sent) {
      if (this.#pending.get(sent.state.subject) === sent) this.#pending.delete(sent.state.subject);
    }
    this.#seen = sharedStateSeen;
    for (const state of sharedState) for (const listener of this.#listeners) listener(state);
  }
}
