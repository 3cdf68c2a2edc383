import type { FindingList, FindingSubject } from '../findings.ts';
import { modelPatternForm } from '../item-name.ts';
import type { Deployment } from './deployments.ts';
import type { LiteLlmSource } from './source.ts';
import { textsIn, textsOf } from '../values.ts';

/**
 * The models that a list of LiteLLM names, and those of the access groups with these ids. `undefined`: the list adds no
 * limit.
 */
export type ModelLists = (
  list: readonly string[],
  subject: FindingSubject,
  groupIds?: readonly string[],
) => readonly string[] | undefined;

/**
 * Reads lists of models: names, patterns, access groups, and the special names of LiteLLM. An empty list allows all models
 * that the team or the user may use.
 */
export function modelLists(
  deployments: readonly Deployment[],
  { tables }: Pick<LiteLlmSource, 'tables'>,
  findings: FindingList,
): ModelLists {
  const groups = new Map<string, Set<string>>();
  const addTo = (group: string, names: readonly string[]) => {
    groups.set(group, new Set([...(groups.get(group) ?? []), ...names]));
  };
  for (const { modelName, info } of deployments)
    for (const group of textsOf(info['access_groups'])) addTo(group, [modelName]);
  const byId = new Map<string, readonly string[]>();
  for (const row of tables.accessGroups) {
    byId.set(row['access_group_id'] ?? '', textsIn(row['access_model_names']));
  }
  return (list, subject, groupIds = []) => {
    if (list.length === 0 || list.includes('all-proxy-models') || list.includes('all-team-models')) return undefined;
    const named = list.filter((name) => name !== 'no-default-models');
    const all = [...named, ...groupIds.flatMap((id) => byId.get(id) ?? [])];
    const found = new Set(all.flatMap((name) => [...(groups.get(name) ?? [name])]));
    const usable = [...found].filter((name) => {
      if (modelPatternForm.test(name)) return true;
      findings.add('model_name_invalid', subject, { name });
      return false;
    });
    return usable.sort();
  };
}
