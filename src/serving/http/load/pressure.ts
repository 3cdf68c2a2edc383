export interface PressureSources {
  /** The used share of this process's memory limit, from 0 to 1. */
  memoryShare(): number;
  readonly queue?: { bytesMax(): number; queuedBytes(): number };
  /** Called when a source or a listener throws. The other listeners and the next check still run. */
  onError?(error: unknown): void;
}

/** Each level includes those before it. No request is rejected: all wait until the load falls. */
export type ShedLevel = 'none' | 'close-connections' | 'pause-bodies' | 'pause-connections';

const levels: readonly ShedLevel[] = ['none', 'close-connections', 'pause-bodies', 'pause-connections'];

const memoryThresholds: Readonly<Record<ShedLevel, number>> = {
  none: 0,
  'close-connections': 0.7,
  'pause-bodies': 0.8,
  'pause-connections': 0.9,
};

/** The share of `bytesMax` at which queued bytes stop the reading of bodies. */
const queuedBytesThreshold = 0.5;

export const checkIntervalMs = 250;

export class Pressure {
  readonly #sources: PressureSources;
  readonly #listeners = new Set<() => void>();
  #level = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(sources: PressureSources) {
    this.#sources = sources;
  }

  get level(): ShedLevel {
    return levels[this.#level] ?? 'none';
  }

  isAtLeast(level: ShedLevel): boolean {
    return this.#level >= levels.indexOf(level);
  }

  /** Calls back after every check, changed or not. Returns a function that unsubscribes. */
  onCheck(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#callSafely(() => this.check()), checkIntervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  check(): void {
    const { queue } = this.#sources;
    const isQueueLong = queue !== undefined && queue.queuedBytes() > queue.bytesMax() * queuedBytesThreshold;
    const share = this.#sources.memoryShare();
    const byMemory = levels.findLastIndex((level) => share >= memoryThresholds[level]);
    this.#level = Math.max(byMemory, isQueueLong ? levels.indexOf('pause-bodies') : 0);
    for (const listener of this.#listeners) this.#callSafely(listener);
  }

  #callSafely(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#sources.onError?.(error);
    }
  }
}
