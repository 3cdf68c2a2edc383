/** What presses on the process, each as it is right now. */
export interface PressureSources {
  /** How much of the memory this process may have is in use, from 0 to 1. */
  memoryShare(): number;
  /** Bytes of the requests that wait for their turn, and how many may. */
  readonly queue?: { bytesMax(): number; queuedBytes(): number };
  /** Hears what threw, a source or a listener: the next look comes all the same, and the others hear of every look. */
  onError?(error: unknown): void;
}

/**
 * What is done about it, each step on top of those before: connections are not kept after an answer; the bodies of new
 * requests are not read; new connections are not read. Nobody is refused: they all wait until it is over.
 */
export type Rung = 'none' | 'end-connections' | 'hold-bodies' | 'hold-connections';

const rungs: readonly Rung[] = ['none', 'end-connections', 'hold-bodies', 'hold-connections'];

/** At which share of the memory each step begins. */
const memoryShares: Readonly<Record<Exclude<Rung, 'none'>, number>> = {
  'end-connections': 0.7,
  'hold-bodies': 0.8,
  'hold-connections': 0.9,
};

/** At which share of their bound bytes that wait stop more bodies from being read. */
const queuedShare = 0.5;

/** From one look to the next; relief is felt within a few of them. */
export const lookEveryMs = 250;

/** Looks at what presses on the process and says which step of the ladder it calls for. */
export class Pressure {
  readonly #sources: PressureSources;
  readonly #listeners = new Set<() => void>();
  #level = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(sources: PressureSources) {
    this.#sources = sources;
  }

  get rung(): Rung {
    return rungs[this.#level] ?? 'none';
  }

  /** Whether this step is being taken. */
  calls(rung: Rung): boolean {
    return this.#level >= rungs.indexOf(rung);
  }

  /** Calls back after every look, whether something changed or not. Returns how to stop that. */
  onLook(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#tell(() => this.look()), lookEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  look(): void {
    const { queue } = this.#sources;
    const isQueueLong = queue !== undefined && queue.queuedBytes() > queue.bytesMax() * queuedShare;
    const byQueue: Rung = isQueueLong ? 'hold-bodies' : 'none';
    this.#level = Math.max(rungs.indexOf(byMemory(this.#sources.memoryShare())), rungs.indexOf(byQueue));
    for (const listener of this.#listeners) this.#tell(listener);
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#sources.onError?.(error);
    }
  }
}

function byMemory(share: number): Rung {
  if (share >= memoryShares['hold-connections']) return 'hold-connections';
  if (share >= memoryShares['hold-bodies']) return 'hold-bodies';
  return share >= memoryShares['end-connections'] ? 'end-connections' : 'none';
}
