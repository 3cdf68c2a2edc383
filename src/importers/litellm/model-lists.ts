import type { FindingList, FindingSubject } from '../findings.ts';
import type { Deployment } from './deployments.ts';
import type { LiteLlmSource } from './source.ts';
import { textsIn, textsOf } from '../values.ts';

const patternForm = /^[^\s,\p{C}]+$/u;

/** The models that a list of LiteLLM names. `undefined`: the list adds no limit. */
export type ModelLists = (list: readonly string[], subject: FindingSubject) => readonly string[] | undefined;

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
  for (const row of tables.accessGroups)
    addTo(row['access_group_name'] ?? '', textsIn(row['access_model_names'] ?? row['model_names']));
  return (list, subject) => {
    if (list.length === 0 || list.includes('all-proxy-models') || list.includes('all-team-models')) return undefined;
    const named = list.filter((name) => name !== 'no-default-models');
    const found = new Set(named.flatMap((name) => [...(groups.get(name) ?? [name])]));
    const usable = [...found].filter((name) => {
      if (patternForm.test(name)) return true;
      findings.add('model_name_invalid', subject, { name });
      return false;
    });
    return usable.sort();
  };
}
