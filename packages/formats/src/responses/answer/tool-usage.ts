import { type Usage, type UsagePart, unreportedUsage } from '../../chat/usage.ts';
import { countReader, tokensMax } from '../../token-count.ts';
import { nonEmptyString, objectOf, type WireObject } from '../../wire-value.ts';

type OnAnomaly = (what: string) => void;

/** The provider's own count of searches, which items of the response show only in part. */
export function decodeToolCalls(toolUsage: unknown, onAnomaly: OnAnomaly): Readonly<Record<string, number>> {
  const search = objectOf(objectOf(toolUsage)?.['web_search']);
  const calls = countReader(onAnomaly)('web_search.num_requests', search?.['num_requests'], tokensMax);
  return calls === undefined ? {} : { web_search: calls };
}

/**
 * The answer and the tokens of the models with which its tools draw: `image_gen` of the response, and one report for
 * each vector drawing. Returns `undefined` if nothing was drawn.
 */
export function decodeToolParts(
  usage: Usage,
  toolUsage: unknown,
  drawings: readonly WireObject[],
  onAnomaly: OnAnomaly,
): readonly UsagePart[] | undefined {
  const images = objectOf(objectOf(toolUsage)?.['image_gen']);
  const drawn = [
    ...(images ? [decodePart('image_gen', images, onAnomaly)] : []),
    ...drawings.map((drawing) => decodePart('svg', drawing, onAnomaly)),
  ].filter(({ promptTokens, completionTokens }) => promptTokens + completionTokens > 0);
  if (drawn.length === 0) return undefined;
  const { parts: _parts, toolUses: _uses, source: _source, cost: _cost, ...own } = usage;
  return [{ ...own, kind: 'message', model: undefined }, ...drawn];
}

function decodePart(kind: string, wire: WireObject, onAnomaly: OnAnomaly): UsagePart {
  const read = countReader(onAnomaly);
  const promptTokens = read(`${kind}.input_tokens`, wire['input_tokens']) ?? 0;
  const images = objectOf(wire['input_tokens_details'])?.['image_tokens'];
  return {
    ...unreportedUsage,
    promptTokens,
    completionTokens: read(`${kind}.output_tokens`, wire['output_tokens']) ?? 0,
    cachedTokens: read(`${kind}.cached_tokens`, wire['cached_tokens'], promptTokens),
    promptImageTokens: read(`${kind}.image_tokens`, images, promptTokens),
    kind,
    model: nonEmptyString(wire['model']),
  };
}
