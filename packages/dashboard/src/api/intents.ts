/** The request of an intent, the same for every try. */
export interface Intent {
  /** Makes a repeated write take effect once. */
  readonly idempotencyKey: string;
  readonly body: unknown;
}

export interface Intents {
  /** Returns the open intent of that name, with the same key and body as before, or creates one. */
  begin(name: string, body: () => unknown): Intent;
  /** Call it once the gateway has answered: the next `begin` of that name is a new intent. */
  end(name: string): void;
}

/** The most intents without an answer. Beyond it, the oldest are dropped. */
const openMax = 16;

/**
 * A user who presses a button again because no answer came wants one write, not two. So key and body stay the same
 * until the gateway answers. The body is kept too: it may contain a time, and building it again would make a different
 * request.
 */
export function intents(newKey: () => string = randomKey): Intents {
  const open = new Map<string, Intent>();
  return {
    begin(name, body) {
      const intent = open.get(name) ?? { idempotencyKey: newKey(), body: body() };
      open.delete(name);
      open.set(name, intent);
      for (const oldest of [...open.keys()].slice(0, -openMax)) open.delete(oldest);
      return intent;
    },
    end: (name) => void open.delete(name),
  };
}

/** Not `randomUUID`: browsers offer it on secure pages only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface SingleFlight<Result> {
  /** Returns the promise of the running work with this key, or starts the work. */
  run(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** A user may press a button twice before the page shows it as busy. The second press shares the work of the first. */
export function singleFlight<Result>(): SingleFlight<Result> {
  const running = new Map<string, Promise<Result>>();
  return {
    run(key, work) {
      const promise = running.get(key) ?? work().finally(() => running.delete(key));
      running.set(key, promise);
      return promise;
    },
  };
}
