import type { NewModel } from '../../api/wire.ts';
import type { PlainKey } from '../../text/text.tsx';

type Guarantees = NonNullable<NewModel['guarantees']>;
export type PromiseName = keyof Guarantees;
export type Keeper = NonNullable<Guarantees[PromiseName]>;

/** Promises that someone has to keep, and what each is called. */
export const promiseWords: Readonly<Record<PromiseName, PlainKey>> = {
  stop: 'routes.promiseStop',
  max_tokens: 'routes.promiseMaxTokens',
  strict: 'routes.promiseStrict',
  tool_choice: 'routes.promiseToolChoice',
  json: 'routes.promiseJson',
};

export const promiseNames = Object.keys(promiseWords) as readonly PromiseName[];

export const keeperWords: Readonly<Record<Keeper, PlainKey>> = {
  auto: 'routes.keeperAuto',
  provider: 'routes.keeperProvider',
  gateway: 'routes.keeperGateway',
  off: 'routes.keeperOff',
};

export const deliveryWords = { stream: 'routes.deliveryStream', whole: 'routes.deliveryWhole' } as const;
export const payerWords = { account: 'routes.payerAccount', gateway: 'routes.payerGateway' } as const;
export const cacheWords = { off: 'routes.cacheOff', auto: 'routes.cacheAuto' } as const;

/** Who keeps which promise, what happens when one is broken, and whether prompt caches are used. */
export interface PromiseValues {
  readonly keepers: Readonly<Record<PromiseName, Keeper>>;
  readonly attempts: number | string;
  readonly paidBy: keyof typeof payerWords;
  readonly jsonDelivery: keyof typeof deliveryWords;
  readonly cache: keyof typeof cacheWords;
}

/** Unless a model says otherwise. */
const usualAttempts = 2;

export function promiseValues({ guarantees = {}, tools = {}, json_delivery, cache }: PromiseSpec): PromiseValues {
  return {
    keepers: Object.fromEntries(
      promiseNames.map((name) => [name, guarantees[name] ?? 'auto']),
    ) as PromiseValues['keepers'],
    attempts: tools.attempts ?? usualAttempts,
    paidBy: tools.paid_by ?? 'account',
    jsonDelivery: json_delivery ?? 'stream',
    cache: cache ?? 'off',
  };
}

export type PromiseSpec = Pick<NewModel, 'guarantees' | 'tools' | 'json_delivery' | 'cache'>;

/** What is as by default is left out. */
export function promiseSpec({ keepers, attempts, paidBy, jsonDelivery, cache }: PromiseValues): PromiseSpec {
  const said = promiseNames.filter((name) => keepers[name] !== 'auto').map((name) => [name, keepers[name]]);
  const tools = {
    ...(attempts !== '' && Number(attempts) !== usualAttempts && { attempts: Number(attempts) }),
    ...(paidBy !== 'account' && { paid_by: paidBy }),
  };
  return {
    ...(said.length > 0 && { guarantees: Object.fromEntries(said) as Guarantees }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(jsonDelivery !== 'stream' && { json_delivery: jsonDelivery }),
    ...(cache !== 'off' && { cache }),
  };
}
