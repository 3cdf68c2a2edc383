import type { NewModel } from '../../api/wire.ts';
import type { FixedTextKey } from '../../text/text.tsx';

type Guarantees = NonNullable<NewModel['guarantees']>;
export type ConstraintName = keyof Guarantees;
export type Enforcer = NonNullable<Guarantees[ConstraintName]>;

/** The constraints and their names. */
export const constraintWords: Readonly<Record<ConstraintName, FixedTextKey>> = {
  stop: 'routes.constraintStop',
  max_tokens: 'routes.constraintMaxTokens',
  strict: 'routes.constraintStrict',
  tool_choice: 'routes.constraintToolChoice',
  json: 'routes.constraintJson',
};

export const constraintNames = Object.keys(constraintWords) as readonly ConstraintName[];

export const enforcerWords: Readonly<Record<Enforcer, FixedTextKey>> = {
  auto: 'routes.enforcerAuto',
  provider: 'routes.enforcerProvider',
  gateway: 'routes.enforcerGateway',
  off: 'routes.enforcerOff',
};

export const deliveryWords = { stream: 'routes.deliveryStream', whole: 'routes.deliveryWhole' } as const;
export const payerWords = { account: 'routes.payerAccount', gateway: 'routes.payerGateway' } as const;
export const cacheWords = { off: 'routes.cacheOff', auto: 'routes.cacheAuto' } as const;

/** The enforcer of each constraint, the reaction to a violation, and whether prompt caches are used. */
export interface ConstraintValues {
  readonly enforcers: Readonly<Record<ConstraintName, Enforcer>>;
  readonly attempts: number | string;
  readonly paidBy: keyof typeof payerWords;
  readonly jsonDelivery: keyof typeof deliveryWords;
  readonly cache: keyof typeof cacheWords;
}

/** The default. */
const defaultAttempts = 2;

export function constraintValues({
  guarantees = {},
  tools = {},
  json_delivery,
  cache,
}: ConstraintSpec): ConstraintValues {
  return {
    enforcers: Object.fromEntries(
      constraintNames.map((name) => [name, guarantees[name] ?? 'auto']),
    ) as ConstraintValues['enforcers'],
    attempts: tools.attempts ?? defaultAttempts,
    paidBy: tools.paid_by ?? 'account',
    jsonDelivery: json_delivery ?? 'stream',
    cache: cache ?? 'off',
  };
}

export type ConstraintSpec = Pick<NewModel, 'guarantees' | 'tools' | 'json_delivery' | 'cache'>;

/** Leaves out default values. */
export function constraintSpec({ enforcers, attempts, paidBy, jsonDelivery, cache }: ConstraintValues): ConstraintSpec {
  const chosen = constraintNames.filter((name) => enforcers[name] !== 'auto').map((name) => [name, enforcers[name]]);
  const tools = {
    ...(attempts !== '' && Number(attempts) !== defaultAttempts && { attempts: Number(attempts) }),
    ...(paidBy !== 'account' && { paid_by: paidBy }),
  };
  return {
    ...(chosen.length > 0 && { guarantees: Object.fromEntries(chosen) as Guarantees }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(jsonDelivery !== 'stream' && { json_delivery: jsonDelivery }),
    ...(cache !== 'off' && { cache }),
  };
}

type Fallbacks = NonNullable<NewModel['fallbacks']>;

export const fallbackReasons = ['failure', 'context_overflow', 'refusal'] as const;
export type FallbackReason = (typeof fallbackReasons)[number];

/** The fallback models of each reason, in order. */
export type FallbackValues = Readonly<Record<FallbackReason, readonly string[]>>;

export function fallbackValues(fallbacks: Fallbacks = []): FallbackValues {
  const named = (reason: FallbackReason) =>
    fallbacks.filter(({ on = ['failure'] }) => on.includes(reason)).map(({ model }) => model);
  return { failure: named('failure'), context_overflow: named('context_overflow'), refusal: named('refusal') };
}

/** Lists each model once with all its reasons, unless that would change the order for one of them. */
export function fallbackSpec(values: FallbackValues): Fallbacks {
  const models = [...new Set(fallbackReasons.flatMap((reason) => values[reason]))];
  const together = models.map((model) =>
    entry(
      model,
      fallbackReasons.filter((reason) => values[reason].includes(model)),
    ),
  );
  if (JSON.stringify(fallbackValues(together)) === JSON.stringify(values)) return together;
  return fallbackReasons.flatMap((reason) => values[reason].map((model) => entry(model, [reason])));
}

function entry(model: string, on: readonly FallbackReason[]): Fallbacks[number] {
  return on.length === 1 && on[0] === 'failure' ? { model } : { model, on };
}
