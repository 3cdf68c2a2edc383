import type { AnswerFormat, ChatRequest } from '../chat/chat-request.ts';
import { type Guarantees, type Enforcer, type ProviderConstraints, defaultGuarantees } from '../chat/guarantee.ts';

/** The fields of a request that a provider might not enforce. */
export type ConstrainedRequest = Pick<
  ChatRequest,
  'stop' | 'maxTokens' | 'tools' | 'toolChoice' | 'parallelToolCalls' | 'answerFormat'
>;

export type EnforcedConstraints = Readonly<Record<keyof Guarantees, boolean>>;

/** `undefined` if there are none. Of several providers for one answer, any may need a constraint enforced. */
export function enforcedConstraints(
  request: ConstrainedRequest,
  guarantees: Guarantees = defaultGuarantees,
  providers: readonly ProviderConstraints[],
): EnforcedConstraints | undefined {
  const { stop, maxTokens, answerFormat } = request;
  // A shortcut: most requests set none of these.
  const hasMore = stop.length > 0 || answerFormat !== undefined || restrictsCalls(request) || hasStrictTool(request);
  if (!hasMore && maxTokens === undefined) return undefined;
  const isCapped = maxTokens !== undefined && providers.some((by) => enforcement[guarantees.maxTokens](by.maxTokens));
  if (!hasMore) return isCapped ? onlyCap : undefined;
  const isNeeded = (keeper: Enforcer, isKept: (by: ProviderConstraints) => boolean | undefined): boolean =>
    providers.some((provider) => enforcement[keeper](isKept(provider)));
  const enforced = {
    stop: stop.length > 0 && isNeeded(guarantees.stop, ({ stopMax }) => acceptsStops(stopMax, stop.length)),
    maxTokens: isCapped,
    strict: hasStrictTool(request) && isNeeded(guarantees.strict, (by) => by.strict),
    toolChoice: restrictsCalls(request) && isNeeded(guarantees.toolChoice, (by) => by.toolChoice),
    json: answerFormat !== undefined && isNeeded(guarantees.json, ({ json }) => enforcesFormat(json, answerFormat)),
  };
  return Object.values(enforced).some(Boolean) ? enforced : undefined;
}

const onlyCap: EnforcedConstraints = { stop: false, maxTokens: true, strict: false, toolChoice: false, json: false };

export function isOnlyCap({ stop, strict, toolChoice, json }: EnforcedConstraints): boolean {
  return !stop && !strict && !toolChoice && !json;
}

function restrictsCalls({ tools, toolChoice, parallelToolCalls }: ConstrainedRequest): boolean {
  const isChosen = toolChoice !== undefined && toolChoice !== 'auto';
  return isChosen || (parallelToolCalls === false && tools.length > 0);
}

function hasStrictTool({ tools }: ConstrainedRequest): boolean {
  return tools.some(({ strict }) => strict === true);
}

function acceptsStops(stopMax: number | undefined, count: number): boolean | undefined {
  return stopMax === undefined ? undefined : count <= stopMax;
}

/** A provider enforces a schema only if the client sets `strict`. Otherwise the model follows it as well as it can. */
function enforcesFormat(kept: ProviderConstraints['json'], format: AnswerFormat): boolean | undefined {
  if (kept === undefined) return undefined;
  return format === 'json' || (kept === 'schema' && format.strict === true);
}

/** Whether the gateway enforces a constraint. The argument states whether the provider does; undefined means unknown. */
const enforcement: Readonly<Record<Enforcer, (isKept: boolean | undefined) => boolean>> = {
  auto: (isKept) => isKept !== true,
  provider: (isKept) => isKept === false,
  gateway: () => true,
  off: () => false,
};
