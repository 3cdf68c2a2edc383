import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { isForeignHash, matchesForeignHash } from '../../money/accounts/foreign-passwords.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

/** Hashing cost, and so the cost of a guess. */
export interface PasswordCost {
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
}

/** Recommended parameters of argon2id for servers. */
const defaultCost: PasswordCost = { memory: 19_456, passes: 2 };
const tagLength = 32;
const saltLength = 16;
/** Each hash takes 19 MiB and a thread for about 60 ms. A burst of sign-ins must not exhaust the process. */
const hashesAtOnce = 2;

/** The last of them waits about 3 s. */
export const hashesWaitingMax = 100;
const derive = promisify(argon2);

export type Passwords = ReturnType<typeof passwords>;

/** Stores a new hash of a password instead of an imported one. */
type RenewHash = (before: string, after: string) => Promise<void>;

/**
 * Argon2id hashes in the usual text form. Two run at once, others wait; beyond the queue limit it throws `overloaded`.
 * `renew` is called once for an imported hash, after its password was right.
 */
export function passwords(cost: PasswordCost = defaultCost, renew?: RenewHash) {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running < hashesAtOnce) running += 1;
    else if (waiting.length < hashesWaitingMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw new GatewayError('overloaded', { reason: reason('sign_in_overloaded') });
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  function tagOf(password: string, salt: Buffer, { memory, passes }: PasswordCost): Promise<Buffer> {
    // Keyboards produce different Unicode forms of the same character.
    const message = Buffer.from(password.normalize('NFKC'));
    return inTurn(() => derive('argon2id', { message, nonce: salt, tagLength, memory, passes, parallelism: 1 }));
  }

  async function hashOf(password: string): Promise<string> {
    const salt = randomBytes(saltLength);
    const tag = await tagOf(password, salt, cost);
    return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=1$${encoded(salt)}$${encoded(tag)}`;
  }

  return {
    hash: hashOf,
    async verify({ hash, password }: { readonly hash: string; readonly password: string }): Promise<boolean> {
      if (isForeignHash(hash)) {
        if (!(await inTurn(() => matchesForeignHash(hash, password)))) return false;
        await renew?.(hash, await hashOf(password));
        return true;
      }
      const [, memory, passes, salt, tag] = hashFormat.exec(hash) ?? [];
      if (salt === undefined || tag === undefined) return false;
      const expected = Buffer.from(tag, 'base64');
      const hashCost = { memory: Number(memory), passes: Number(passes) };
      const actual = await tagOf(password, Buffer.from(salt, 'base64'), hashCost);
      return expected.length === actual.length && timingSafeEqual(expected, actual);
    },
  };
}

/** A hash contains its cost, so that old hashes still match after the cost is raised. */
const hashFormat = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=1\$([\w+/]{22})\$([\w+/]{43})$/;

function encoded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
