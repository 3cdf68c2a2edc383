import { GatewayError } from '../core/gateway-error.ts';

/** The right to run one answer at an upstream. Giving it back twice counts once. */
export type Release = () => void;

/** A bounded number of places at one upstream; who finds none free waits, first come first served. */
export interface Slots {
  /** Takes a place at once, or says that there is none. */
  tryAcquire(): Release | undefined;
  /** Waits for a place. Rejects when the signal aborts or the wait grows longer than `waitMaxMs`. */
  acquire(signal: AbortSignal, waitMaxMs: number): Promise<Release>;
  /** Another number of places, effective as places are given back. */
  resize(size: number): void;
  readonly running: number;
  readonly waiting: number;
}

export function slots(initialSize: number): Slots {
  let size = initialSize;
  let running = 0;
  const queue = new Set<() => void>();

  function take(): Release {
    running += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      running -= 1;
      admit();
    };
  }

  function admit(): void {
    for (const enter of queue) {
      if (running >= size) return;
      queue.delete(enter);
      enter();
    }
  }

  function tryAcquire(): Release | undefined {
    return running < size && queue.size === 0 ? take() : undefined;
  }

  function acquire(signal: AbortSignal, waitMaxMs: number): Promise<Release> {
    const free = tryAcquire();
    if (free) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const leave = (error: unknown) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        queue.delete(enter);
        reject(error);
      };
      const onAbort = () => leave(signal.reason);
      const enter = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        resolve(take());
      };
      const timer = setTimeout(() => leave(new GatewayError('overloaded')), waitMaxMs);
      signal.addEventListener('abort', onAbort, { once: true });
      queue.add(enter);
    });
  }

  return {
    tryAcquire,
    acquire,
    resize: (newSize) => {
      size = newSize;
      admit();
    },
    get running() {
      return running;
    },
    get waiting() {
      return queue.size;
    },
  };
}
