import type { KeyRing } from '../accounts/key-ring.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller, KeyHolder } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { type Deadline, whenOver } from '../core/deadline.ts';
import type { Exchange } from '../http/exchange.ts';

/** Finds the key in the one header that a surface takes it in. */
export type KeyHeader = (exchange: Exchange, terms: { readonly takesAnyBearer: boolean }) => string | undefined;

/** The caller behind a request that keeps no record of its own: whose key it is, used from where it may be. */
export async function callerOf(
  exchange: Exchange,
  secretIn: KeyHeader,
  parts: { readonly keys: Pick<KeyRing, 'holder'>; readonly catalog: Catalog },
): Promise<Caller> {
  const caller = await knownCaller(exchange, secretIn, parts);
  requireAddress(exchange, caller.key);
  return caller;
}

/** Refuses a key that is used from elsewhere than it may be. */
export function requireAddress(exchange: Pick<Exchange, 'address'>, key: KeyHolder): void {
  const refusal = addressRefusal(exchange, key);
  if (refusal) throw refusal;
}

function addressRefusal({ address }: Pick<Exchange, 'address'>, { addresses }: KeyHolder): GatewayError | undefined {
  if (!addresses || addresses.has(address)) return undefined;
  const detail = `This key may not be used from ${address}. Ask its owner to allow that address, or use the key from where it is meant to be used.`;
  return new GatewayError('address-not-allowed', { detail });
}

/** Whose key it is, on the site that the request's domain selects. */
export async function knownCaller(
  exchange: Exchange,
  secretIn: KeyHeader,
  { keys, catalog }: { readonly keys: Pick<KeyRing, 'holder'>; readonly catalog: Catalog },
): Promise<Caller> {
  const { secret, site } = claimIn(exchange, secretIn, catalog);
  const found = keys.holder(secret);
  const key = found instanceof Promise ? await found : found;
  if (!key) throw new GatewayError('invalid-api-key');
  return { key, site };
}

/** A caller, and how to find out whether it is one, where the store has not said so yet. */
export interface ClaimedCaller {
  readonly caller: Caller;
  /** Resolves with the key as the store has it, once it can be asked; rejects if it is good no more, or as the deadline ends. */
  readonly confirm: ((deadline: Deadline) => Promise<KeyHolder>) | undefined;
}

/**
 * The same for requests that may wait with their connection kept alive: while the store cannot be asked, a key that was
 * good when there was last news of it is taken at its word, and nothing is done for it until that is confirmed.
 */
export async function claimedCaller(
  exchange: Exchange,
  secretIn: KeyHeader,
  { keys, catalog, clock }: ClaimParts,
): Promise<ClaimedCaller> {
  const { secret, site } = claimIn(exchange, secretIn, catalog);
  const found = keys.holder(secret);
  const remembered = found instanceof Promise ? keys.remembered(secret) : undefined;
  const key = remembered ?? (await found);
  if (!key) throw new GatewayError('invalid-api-key');
  if (!remembered) return { caller: { key, site }, confirm: undefined };
  const asked = Promise.resolve(found);
  // Whoever serves the request asks for it; one that fails before that is told something else.
  asked.catch(() => undefined);
  // Where it may be used from can have changed while nobody could say so.
  const today = async (): Promise<KeyHolder | GatewayError> => {
    const holder = await asked.catch(() => keys.holder(secret));
    return holder ? (addressRefusal(exchange, holder) ?? holder) : new GatewayError('invalid-api-key');
  };
  return { caller: { key, site }, confirm: (deadline) => confirmed(today, clock, deadline) };
}

/** The key of a request that has waited, if there was news of it since: it may be good no more, or not from there. */
export function reloadChangedKey(
  exchange: Exchange,
  secretIn: KeyHeader,
  { keys, catalog, key }: Pick<ClaimParts, 'keys' | 'catalog'> & { readonly key: KeyHolder },
): Promise<KeyHolder> | undefined {
  const { secret } = claimIn(exchange, secretIn, catalog);
  if (keys.remembered(secret) === key) return undefined;
  const renewed = async (): Promise<KeyHolder> => {
    // While nobody can say, it is as good as it was when the request came.
    const now = await Promise.resolve(keys.holder(secret)).catch(() => key);
    if (!now) throw new GatewayError('invalid-api-key');
    requireAddress(exchange, now);
    return now;
  };
  return renewed();
}

interface ClaimParts {
  readonly keys: Pick<KeyRing, 'holder' | 'remembered'>;
  readonly catalog: Catalog;
  readonly clock: Clock;
}

/** Asks until there is an answer: a look-up gives up earlier than a request that is kept alive. */
function confirmed(
  today: () => Promise<KeyHolder | GatewayError>,
  clock: Clock,
  deadline: Deadline,
): Promise<KeyHolder> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stop = whenOver(clock, deadline, (error) => {
      isOver = true;
      reject(error);
    });
    const ask = (): void => {
      if (isOver) return;
      today().then(
        (found) => {
          stop();
          if (found instanceof GatewayError) reject(found);
          else resolve(found);
        },
        () => {
          clock.after(askAgainMs, ask);
        },
      );
    };
    ask();
  });
}

/** So that a look-up which is refused at once is not asked for again at once. */
const askAgainMs = 250;

function claimIn(exchange: Exchange, secretIn: KeyHeader, catalog: Catalog) {
  const site = catalog.siteFor(exchange.host) ?? '';
  return { site, secret: secretIn(exchange, { takesAnyBearer: catalog.takesMessagesBearer(site) }) };
}

/** The key in `Authorization: Bearer <key>`, the only form the chat-completions surface takes. */
export const bearerSecret: KeyHeader = (exchange) => bearerToken(exchange.header('authorization'));

/**
 * The key in `x-api-key`, the form the messages surface takes. Client libraries of the format have come to send the key
 * they are given as a bearer token, and are taken as they are; so is everybody where the site says so.
 */
export const apiKeySecret: KeyHeader = (exchange, { takesAnyBearer }) => {
  const secret = exchange.header('x-api-key');
  if (secret !== undefined || !(takesAnyBearer || isLibrary(exchange))) return secret;
  return bearerToken(exchange.header('authorization'));
};

/** Libraries are known by the header they put on every request; an agent built upon one also asks without it. */
function isLibrary(exchange: Exchange): boolean {
  return (
    exchange.header('x-stainless-lang') !== undefined ||
    /^claude-(?:cli|code)\//i.test(exchange.header('user-agent') ?? '')
  );
}

/** What stands behind `Bearer`, if the header has that form. */
export function bearerToken(header: string | undefined): string | undefined {
  return header && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}
