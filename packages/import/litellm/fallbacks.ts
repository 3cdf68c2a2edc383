import type { FallbackReason } from 'chat-formats/chat/model.ts';
import type { FindingList } from '../findings.ts';
import type { PlannedFallback } from '../plan.ts';

type Pairs = readonly (readonly [model: string, other: string])[];

interface OpenFallback extends PlannedFallback {
  readonly on: FallbackReason[];
}

const fallbacksMax = 8;
/** The fallbacks of this name are those of every model. */
const anyModel = '*';

/** Joins the fallbacks for all reasons. The gateway refuses circles: a fallback that would close one is left out. */
export function plannedFallbacks(
  models: readonly { readonly id: string; readonly names: readonly string[] }[],
  given: Readonly<Record<FallbackReason, Pairs>>,
  { forAll, findings }: { readonly forAll: readonly string[]; readonly findings: FindingList },
): ReadonlyMap<string, PlannedFallback[]> {
  const ids = new Map(models.flatMap(({ id, names }) => names.map((name) => [name, id] as const)));
  const planned = new Map<string, OpenFallback[]>();
  const add = (from: string, to: string, reason: FallbackReason, isDefault: boolean): void => {
    const [id, other] = [ids.get(from), ids.get(to)];
    const subject = { kind: 'model', sourceId: id ?? from } as const;
    if (id === undefined || other === undefined) {
      findings.add('fallback_unknown', subject, { model: from, other: to });
      return;
    }
    const own = planned.get(id) ?? [];
    const known = own.find(({ model }) => model === other);
    if (known) {
      if (!known.on.includes(reason)) known.on.push(reason);
    } else if (id === other || leadsTo(planned, other, id)) {
      if (!isDefault) findings.add('fallback_circle', subject, { model: id, other });
    } else if (own.length >= fallbacksMax) findings.add('fallback_circle', subject, { model: id, other });
    else planned.set(id, [...own, { model: other, on: [reason] }]);
  };
  for (const [reason, pairs] of Object.entries(given) as [FallbackReason, Pairs][]) {
    for (const [from, to] of pairs) {
      if (from !== anyModel) add(from, to, reason, false);
      else for (const { id } of models) add(id, to, reason, true);
    }
  }
  for (const to of forAll) for (const { id } of models) if (!planned.has(id)) add(id, to, 'failure', true);
  return planned;
}

function leadsTo(planned: ReadonlyMap<string, readonly PlannedFallback[]>, from: string, end: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === end) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(planned.get(id) ?? []).map(({ model }) => model));
  }
  return false;
}
