import type { BackgroundRequest, BackgroundRequests } from '../../../../work/batches/background-requests.ts';
import type { Clock } from '../../../../core/time/clock.ts';

interface WatchParts {
  readonly clock: Clock;
  readonly requests: Pick<BackgroundRequests, 'find'>;
}

const pauseMinMs = 200;
/** Between two looks at a response that waits in the queue. */
const pauseMaxMs = 1000;

/** Looks at the responses in the background that clients read. All readers of one response in this process share each look. */
export class BackgroundWatches {
  readonly #parts: WatchParts;
  readonly #all = new Map<string, Watch>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Every reader leaves once. */
  enter(accountId: string, id: string): Pick<Watch, 'next' | 'wake' | 'leave'> {
    const watch = this.#all.get(id) ?? new Watch(this.#parts, { accountId, id }, () => this.#all.delete(id));
    // Only its own account can read a response.
    if (watch.accountId !== accountId) return new Watch(this.#parts, { accountId, id }, () => {}).enter();
    this.#all.set(id, watch);
    return watch.enter();
  }

  /** This process has begun to generate the response. */
  wake(id: string): void {
    this.#all.get(id)?.wake();
  }
}

class Watch {
  readonly accountId: string;
  readonly #id: string;
  readonly #parts: WatchParts;
  readonly #onEmpty: () => void;
  #readers = 0;
  #look: Promise<BackgroundRequest | undefined> | undefined;
  #pauseMs = 0;
  #wake: () => void = () => {};

  constructor(
    parts: WatchParts,
    { accountId, id }: { readonly accountId: string; readonly id: string },
    onEmpty: () => void,
  ) {
    this.#parts = parts;
    this.accountId = accountId;
    this.#id = id;
    this.#onEmpty = onEmpty;
  }

  enter(): this {
    this.#readers += 1;
    // A new reader does not wait for the end of the pause.
    this.wake();
    return this;
  }

  leave(): void {
    this.#readers -= 1;
    if (this.#readers === 0) this.#onEmpty();
  }

  /** Ends the pause before the next look. */
  wake(): void {
    this.#wake();
  }

  /** The response as the next look finds it. */
  next(): Promise<BackgroundRequest | undefined> {
    this.#look ??= this.#lookAfterPause().finally(() => (this.#look = undefined));
    return this.#look;
  }

  async #lookAfterPause(): Promise<BackgroundRequest | undefined> {
    await this.#pause();
    const found = await this.#parts.requests.find(this.accountId, this.#id);
    const isQueued = found?.line?.state === 'queued';
    this.#pauseMs = isQueued ? Math.min(Math.max(2 * this.#pauseMs, pauseMinMs), pauseMaxMs) : pauseMinMs;
    return found;
  }

  async #pause(): Promise<void> {
    if (this.#pauseMs === 0) return;
    const { clock } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.after(this.#pauseMs, resolve);
    this.#wake = resolve;
    await promise;
    clock.cancel(timer);
    this.#wake = () => {};
  }
}
