import { inspect } from 'node:util';

/** A secret of the source, such as a key or a password hash. It cannot be printed: every text form is `[hidden]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself. Never pass it to a text for people. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }
}

const hidden = '[hidden]';

/** The fields whose values are secrets. */
export function onlySecrets(found: Readonly<Record<string, unknown>>): Readonly<Record<string, Secret>> {
  const entries = Object.entries(found).filter((entry): entry is [string, Secret] => entry[1] instanceof Secret);
  return Object.fromEntries(entries);
}
