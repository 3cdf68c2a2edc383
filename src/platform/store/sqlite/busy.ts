import { setTimeout as delay } from 'node:timers/promises';

const sqliteBusy = 5;
const timeoutMs = 5000;
const pauseMs = 5;

/** Retries while another process holds the write lock. SQLite's own wait would block the event loop. */
export async function whileBusy<Result>(attempt: () => Result | Promise<Result>): Promise<Result> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
    }
    await delay(pauseMs);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === sqliteBusy;
}
