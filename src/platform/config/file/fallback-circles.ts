import type { ConfigProblem } from './problem.ts';
import { entries, entriesOf } from './sections.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

/** Finds fallbacks that lead back to their own model, which was already tried. */
export function fallbackCircles(data: unknown): readonly ConfigProblem[] {
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

  /** Returns the models on a path to `end`, if there is a path. It visits each model once. */
  function pathTo(end: string, from: string | undefined, seen = new Set<string>()): readonly string[] | undefined {
    if (from === undefined || seen.has(from)) return undefined;
    if (from === end) return [from];
    seen.add(from);
    for (const { value } of next.get(from) ?? []) {
      const found = pathTo(end, ids.get(value['model']), seen);
      if (found) return [from, ...found];
    }
    return undefined;
  }

  return fallbacks.flatMap(({ path, of, value }) => {
    const found = pathTo(of, ids.get(value['model']));
    if (!found) return [];
    const circle = [of, ...found].map((id) => `\`${id}\``).join(' → ');
    return [
      { path: [...path, 'model'], ...broken('fallback_circle', { circle }), fix: 'Remove one of these fallbacks.' },
    ];
  });
}
