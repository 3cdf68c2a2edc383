import { catalogIn } from './catalog.ts';
import type { Check, Group } from './check.ts';
import { client } from './client.ts';
import { type Context, contextOf } from './context.ts';
import { groups } from './groups.ts';
import { withoutKey } from './redaction.ts';
import type { CheckScore, GroupScore, Scorecard } from './scorecard.ts';
import { requireUsable } from './usable.ts';
import { prefixOf, rootOf, type ConformTarget } from './target.ts';

export interface ConformOptions {
  /** Model to test; default: the first chat models of the catalog. */
  readonly model?: string;
  /** Names of groups to run; default: all. */
  readonly only?: readonly string[];
  /** Timeout of one request, including its whole stream. */
  readonly timeoutMs?: number;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number;
  /** Whether to throw `Unusable` at once if the key is refused or, in a run of all groups, a simple request fails. */
  readonly stopIfUnusable?: boolean;
  /** Called with each group as it finishes. */
  readonly onGroup?: (score: GroupScore) => void;
}

/** Tests a deployment against the contract. Rejects only if the deployment cannot be reached or a group is unknown. */
export async function conform(target: ConformTarget, options: ConformOptions = {}): Promise<Scorecard> {
  const root = rootOf(target.baseUrl);
  const chosen = groupsNamed(options.only);
  const http = client({
    root,
    key: target.key,
    timeoutMs: options.timeoutMs ?? 60_000,
    concurrency: options.concurrency ?? 4,
  });
  const context = contextOf({
    client: http,
    catalog: catalogIn(await http.send({ method: 'GET', path: '/v1/models' })),
    key: target.key,
    messagesPrefix: prefixOf(target.messagesPrefix ?? '/anthropic'),
    model: options.model,
  });
  if (options.stopIfUnusable) await requireUsable(context, { withChat: options.only === undefined });
  const scores: GroupScore[] = [];
  for (const group of chosen) {
    const score = await groupScore(group, context);
    scores.push(score);
    options.onGroup?.(score);
  }
  return { baseUrl: root, model: context.candidates[0], groups: scores };
}

/** The groups with these names, in the order they run. Throws an error for the user if a name is unknown. */
export function groupsNamed(names: readonly string[] | undefined): readonly Group[] {
  if (names === undefined) return groups;
  const known = groups.map((group) => group.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0 || names.length === 0)
    throw new Error(`There is no group "${unknown.join(', ')}". The groups are ${known.join(', ')}.`);
  return groups.filter((group) => names.includes(group.name));
}

async function groupScore(group: Group, context: Context): Promise<GroupScore> {
  const checks = await Promise.all(group.checks.map((check) => checkScore(check, context)));
  return { name: group.name, title: group.title, checks };
}

async function checkScore(check: Check, context: Context): Promise<CheckScore> {
  const outcome = await check.run(context);
  return { id: check.id, title: check.title, outcome: withoutKey(outcome, context.key) };
}
