import type { NewModel } from '../../api/wire.ts';

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
