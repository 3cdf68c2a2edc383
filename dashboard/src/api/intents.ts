/** What is sent for an intent, however often it is tried. */
export interface Intent {
  /** Makes a repeated write happen once. */
  readonly idempotencyKey: string;
  readonly body: unknown;
}

export interface Intents {
  /** The intent of that name: as it was sent before, as long as nobody knows what became of it, or a new one. */
  begin(name: string, body: () => unknown): Intent;
  /** The gateway has answered: whoever asks for the same now wants it once more. */
  end(name: string): void;
}

/** Those that nobody answered; of more the oldest are forgotten. */
const openMax = 16;

/**
 * Who presses a button again because no answer came wants one thing, not two. So the key and the body stay the same
 * until there is an answer; a body may hold a time, and made anew it would be another request.
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

/** Not `randomUUID`, which browsers offer on secure pages only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
