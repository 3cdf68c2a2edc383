import type { KeyRing } from '../../money/accounts/key-ring.ts';
import type { Catalog } from '../../money/catalog/catalog.ts';
import type { Caller, KeyHolder } from '../../core/caller.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { KeyPlaces } from '../../money/catalog/site-rules.ts';
import { type Deadline, whenOver } from '../../core/time/deadline.ts';
import type { Exchange } from '../http/exchange.ts';

/** Finds the key of a request in the places that its site accepts. */
export type KeyHeader = (exchange: Exchange, places: KeyPlaces) => string | undefined;

interface CallerParts {
  readonly keys: Pick<KeyRing, 'holder' | 'remembered'>;
  readonly inference: { current(): { readonly catalog: Catalog } };
}

/** The caller of a request without a record. Throws if the key is unknown or not allowed from this address. */
export async function callerOf(parts: CallerParts, exchange: Exchange, secretIn: KeyHeader): Promise<Caller> {
  const caller = await knownCaller(parts, exchange, secretIn);
  requireAddress(exchange, caller.key);
  return caller;
}

export function requireAddress(exchange: Pick<Exchange, 'address'>, key: KeyHolder): void {
  const refusal = addressRefusal(exchange, key);
  if (refusal) throw refusal;
}

function addressRefusal({ address }: Pick<Exchange, 'address'>, { addresses }: KeyHolder): GatewayError | undefined {
  if (!addresses || addresses.has(address)) return undefined;
  const detail = `This key may not be used from ${address}. Ask its owner to allow that address, or use the key from where it is meant to be used.`;
  return new GatewayError('address-not-allowed', { detail });
}

/** The holder of the key, on the site that the request's domain selects. */
export async function knownCaller(parts: CallerParts, exchange: Exchange, secretIn: KeyHeader): Promise<Caller> {
  const { secret, site } = claimIn(parts, exchange, secretIn);
  const found = parts.keys.holder(secret);
  const key = found instanceof Promise ? await found : found;
  if (!key) throw new GatewayError('invalid-api-key');
  return { key, site };
}

/** A caller whose key the store may not have confirmed yet. */
export interface ClaimedCaller {
  readonly caller: Caller;
  /** Resolves with the key from the store. Rejects if it is no longer valid, or at the deadline. */
  readonly confirm: ((deadline: Deadline) => Promise<KeyHolder>) | undefined;
}

/** While the store is unreachable, a cached key is accepted, but the request waits until `confirm` resolves. */
export async function claimedCaller(
  parts: CallerParts & { readonly clock: Clock },
  exchange: Exchange,
  secretIn: KeyHeader,
): Promise<ClaimedCaller> {
  const { keys, clock } = parts;
  const { secret, site } = claimIn(parts, exchange, secretIn);
  const found = keys.holder(secret);
  const remembered = found instanceof Promise ? keys.remembered(secret) : undefined;
  const key = remembered ?? (await found);
  if (!key) throw new GatewayError('invalid-api-key');
  if (!remembered) return { caller: { key, site }, confirm: undefined };
  const lookup = Promise.resolve(found);
  // `confirm` awaits it later. If the request fails before, this rejection must not be unhandled.
  lookup.catch(() => undefined);
  // The allowed addresses may have changed during the outage.
  const currentKey = async (): Promise<KeyHolder | GatewayError> => {
    const holder = await lookup.catch(() => keys.holder(secret));
    return holder ? (addressRefusal(exchange, holder) ?? holder) : new GatewayError('invalid-api-key');
  };
  return { caller: { key, site }, confirm: (deadline) => confirmed(currentKey, clock, deadline) };
}

/** The changed key of a request that has waited; undefined if it did not change. Rejects if it is no longer allowed. */
export function reloadChangedKey(
  parts: CallerParts,
  exchange: Exchange,
  secretIn: KeyHeader,
  key: KeyHolder,
): Promise<KeyHolder> | undefined {
  const { keys } = parts;
  const { secret } = claimIn(parts, exchange, secretIn);
  if (keys.remembered(secret) === key) return undefined;
  const renewed = async (): Promise<KeyHolder> => {
    // If the store is unreachable, keep the key as it was when the request arrived.
    const now = await Promise.resolve(keys.holder(secret)).catch(() => key);
    if (!now) throw new GatewayError('invalid-api-key');
    requireAddress(exchange, now);
    return now;
  };
  return renewed();
}

/** Retries until the deadline, because a look-up times out earlier than a kept-alive request. */
function confirmed(
  currentKey: () => Promise<KeyHolder | GatewayError>,
  clock: Clock,
  deadline: Deadline,
): Promise<KeyHolder> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stop = whenOver(clock, deadline, (error) => {
      isOver = true;
      reject(error);
    });
    const tryLookUp = (): void => {
      if (isOver) return;
      currentKey().then(
        (found) => {
          stop();
          if (found instanceof GatewayError) reject(found);
          else resolve(found);
        },
        () => {
          clock.after(retryLookupMs, tryLookUp);
        },
      );
    };
    tryLookUp();
  });
}

/** Pause between look-ups, for those that fail immediately. */
const retryLookupMs = 250;

function claimIn({ inference }: CallerParts, exchange: Exchange, secretIn: KeyHeader) {
  const { catalog } = inference.current();
  const site = catalog.siteFor(exchange.host) ?? '';
  return { site, secret: secretIn(exchange, catalog.rulesOf(site).keyPlaces) };
}

/** The key in `Authorization: Bearer <key>`, unless it is in a header that only the site accepts. */
export const bearerSecret: KeyHeader = (exchange, { headers }) =>
  siteSecret(exchange, headers) ?? bearerToken(exchange.header('authorization'));

/** Client libraries of the messages format also send the key as a bearer token; a site may accept that from all. */
export const apiKeySecret: KeyHeader = (exchange, { headers, takesAnyBearer }) => {
  const secret = siteSecret(exchange, headers) ?? exchange.header('x-api-key');
  if (secret !== undefined || !(takesAnyBearer || isLibrary(exchange))) return secret;
  return bearerToken(exchange.header('authorization'));
};

/** The key in the first header of the site that has one, also behind `Bearer`. */
function siteSecret(exchange: Exchange, headers: readonly string[]): string | undefined {
  for (const name of headers) {
    const value = exchange.header(name);
    if (value !== undefined && value !== '') return bearerToken(value) ?? value;
  }
  return undefined;
}

/** Libraries send `x-stainless-lang` with every request; an agent built on one also sends requests without it. */
function isLibrary(exchange: Exchange): boolean {
  return (
    exchange.header('x-stainless-lang') !== undefined ||
    /^claude-(?:cli|code)\//i.test(exchange.header('user-agent') ?? '')
  );
}

export function bearerToken(header: string | undefined): string | undefined {
  return header && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}
