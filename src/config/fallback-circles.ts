import type { ConfigFinding } from './problem.ts';
import { entries, entriesOf } from './sections.ts';
import { broken } from '../core/reasons/reason.ts';

/** Fallbacks that lead back to the model they stand for: it has come to nothing already. */
export function fallbackCircles(data: unknown): readonly ConfigFinding[] {
  const models = entries(data, 'models');
  const ids = new Map(
    models.flatMap(({ value: { id, aliases } }) =>
      [id, ...(Array.isArray(aliases) ? aliases : [])].map((name) => [name, String(id)] as const),
    ),
  );
  const fallbacks = models.flatMap((model) =>
    entriesOf(model, 'fallbacks').map(({ path, value }) => ({ path, of: String(model.value['id']), value })),
  );
  const next = Map.groupBy(fallbacks, ({ of }) => of);

  /** The models on the way, if there is one; no model is looked at twice. */
  function wayTo(end: string, from: string | undefined, seen = new Set<string>()): readonly string[] | undefined {
    if (from === undefined || seen.has(from)) return undefined;
    if (from === end) return [from];
    seen.add(from);
    for (const { value } of next.get(from) ?? []) {
      const way = wayTo(end, ids.get(value['model']), seen);
      if (way) return [from, ...way];
    }
    return undefined;
  }

  return fallbacks.flatMap(({ path, of, value }) => {
    const way = wayTo(of, ids.get(value['model']));
    if (!way) return [];
    const circle = [of, ...way].map((id) => `\`${id}\``).join(' → ');
    return [{ path: [...path, 'model'], ...broken('fallback_circle', { circle }), fix: 'Leave one of them out.' }];
  });
}
