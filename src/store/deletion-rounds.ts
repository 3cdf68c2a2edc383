import { setImmediate as nextTurn } from 'node:timers/promises';

/** Deletes what is too old again and again, in the background. */
export interface DeletionRounds {
  start(): void;
  stop(): void;
}

/** Deletes a few rows, and says whether there may be more. */
type DeletionTurn = () => Promise<boolean>;

const everyMs = 600_000;

/** Each round takes every kind of row in turn, a few at a time so that nobody waits for it. */
export function deletionRounds(kinds: readonly DeletionTurn[]): DeletionRounds {
  let timer: NodeJS.Timeout | undefined;
  const isOn = (): boolean => timer !== undefined;

  async function round(): Promise<void> {
    for (const turn of kinds) {
      while (isOn() && (await turn())) await nextTurn();
    }
  }

  return {
    start() {
      // A round that fails leaves rows to the next one.
      timer ??= setInterval(() => void round().catch(() => undefined), everyMs).unref();
      void round().catch(() => undefined);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
