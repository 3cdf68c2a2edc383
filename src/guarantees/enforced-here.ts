import type { AnswerFormat, ChatRequest } from '../core/chat-request.ts';
import { type Guarantees, type Keeper, type ProviderConstraints, usualGuarantees } from '../core/guarantee.ts';

/** What a request asks for that a provider may not give. */
export type PromisedRequest = Pick<
  ChatRequest,
  'stop' | 'maxTokens' | 'tools' | 'toolChoice' | 'parallelToolCalls' | 'answerFormat'
>;

/** Which promises the gateway has to see to. */
export type EnforcedHere = Readonly<Record<keyof Guarantees, boolean>>;

/**
 * Which promises of an answer the gateway has to see to; nothing where there is none. An answer that several providers may
 * have a part in is as trustworthy as the least of them.
 */
export function keptHere(
  request: PromisedRequest,
  guarantees: Guarantees = usualGuarantees,
  providers: readonly ProviderConstraints[],
): EnforcedHere | undefined {
  const { stop, maxTokens, answerFormat } = request;
  // Most requests ask for nothing of it, and pay for no more than this.
  const asksForMore = stop.length > 0 || answerFormat !== undefined || choosesCalls(request) || hasStrictTool(request);
  if (!asksForMore && maxTokens === undefined) return undefined;
  const isCapped = maxTokens !== undefined && providers.some((by) => seesTo(guarantees.maxTokens, by.maxTokens));
  if (!asksForMore) return isCapped ? onlyCap : undefined;
  const any = (keeper: Keeper, isKept: (by: ProviderConstraints) => boolean | undefined): boolean =>
    providers.some((provider) => seesTo(keeper, isKept(provider)));
  const here = {
    stop: stop.length > 0 && any(guarantees.stop, ({ stopMax }) => keepsStops(stopMax, stop.length)),
    maxTokens: isCapped,
    strict: hasStrictTool(request) && any(guarantees.strict, (by) => by.strict),
    toolChoice: choosesCalls(request) && any(guarantees.toolChoice, (by) => by.toolChoice),
    json: answerFormat !== undefined && any(guarantees.json, ({ json }) => keepsFormat(json, answerFormat)),
  };
  return Object.values(here).some(Boolean) ? here : undefined;
}

const onlyCap: EnforcedHere = { stop: false, maxTokens: true, strict: false, toolChoice: false, json: false };

/** Whether the cap on tokens is all that has to be seen to. */
export function isOnlyCap({ stop, strict, toolChoice, json }: EnforcedHere): boolean {
  return !stop && !strict && !toolChoice && !json;
}

/** Whether anything is promised of the answer's calls beyond what the model likes. */
function choosesCalls({ tools, toolChoice, parallelToolCalls }: PromisedRequest): boolean {
  const isChosen = toolChoice !== undefined && toolChoice !== 'auto';
  return isChosen || (parallelToolCalls === false && tools.length > 0);
}

function hasStrictTool({ tools }: PromisedRequest): boolean {
  return tools.some(({ strict }) => strict === true);
}

function keepsStops(stopMax: number | undefined, count: number): boolean | undefined {
  return stopMax === undefined ? undefined : count <= stopMax;
}

/** Schemas are enforced where a client asks for it, and otherwise followed as well as the model can. */
function keepsFormat(kept: ProviderConstraints['json'], format: AnswerFormat): boolean | undefined {
  if (kept === undefined) return undefined;
  return format === 'json' || (kept === 'schema' && format.strict === true);
}

/** Whether the gateway sees to a promise that its provider keeps, does not keep, or of which that is not known. */
function seesTo(keeper: Keeper, isKept: boolean | undefined): boolean {
  switch (keeper) {
    case 'auto':
      return isKept !== true;
    case 'provider':
      return isKept === false;
    case 'gateway':
      return true;
    case 'off':
      return false;
    default:
      return keeper satisfies never;
  }
}
