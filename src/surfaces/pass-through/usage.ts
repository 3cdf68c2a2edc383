import type { PassThroughUsage } from '../../core/chat/pass-through-call.ts';
import { objectOf, type WireObject } from '../../dialects/wire-value.ts';

/** The tokens that a provider reports, under any of the common names; undefined if it reports none. */
export function reportedTokens(
  usage: WireObject | undefined,
): Pick<PassThroughUsage, 'promptTokens' | 'completionTokens'> {
  const completionTokens = figureIn(usage, 'completion_tokens', 'output_tokens');
  const total = figureIn(usage, 'total_tokens');
  const rest = total === undefined ? undefined : Math.max(0, total - (completionTokens ?? 0));
  return { promptTokens: figureIn(usage, 'prompt_tokens', 'input_tokens') ?? rest, completionTokens };
}

/** The first of these fields with a valid count. */
export function figureIn(value: WireObject | undefined, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const figure = value?.[name];
    if (typeof figure === 'number' && Number.isFinite(figure) && figure >= 0) return figure;
  }
  return undefined;
}

/** The billed search units of a reranker. */
export function searchUnits(answer: WireObject | undefined): number | undefined {
  return figureIn(objectOf(objectOf(answer?.['meta'])?.['billed_units']), 'search_units');
}
