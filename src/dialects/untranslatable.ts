import type { ChatRequest } from '../core/chat-request.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Untranslatable } from '../core/model.ts';
import { untranslatableInChat } from './chat-completions/untranslatable-fields.ts';
import { untranslatableInPrompt } from './completions/untranslatable-fields.ts';
import { type FieldPath, fieldName, invalidRequest } from './invalid-request.ts';
import { untranslatableInMessages } from './messages/untranslatable-fields.ts';
import { pricedIn, pricedNotes } from './priced-fields.ts';
import {
  leftOutOfResponses,
  logprobsInResponses,
  untranslatableInResponses,
} from './responses/untranslatable-fields.ts';
import { samplingHints } from './sampling-hints.ts';

/** More would not help anyone mend a request. */
const shownMax = 3;

/** More would not help anyone read a record. */
const notedMax = 16;

export interface TranslationRules {
  /** What happens to what the provider's format has no word for; hints are left out unless said. */
  readonly untranslatable?: Untranslatable | undefined;
  /** The most the provider takes. */
  readonly temperatureMax: number;
  /** Whether the provider's format has records of tokens. */
  readonly hasLogprobs?: boolean;
}

/** What becomes of a request's hints on the way into another format. */
export interface Translation {
  readonly temperature: number | undefined;
  /** What was left out or changed, in words for the record of the request. */
  readonly notes: readonly string[];
}

/**
 * Encoders into another format than the client's call it first: what they build leaves out in silence what the core has
 * no word for. Throws `invalid-request` where that could change the answer, unless the model's entry says to leave out
 * even that.
 */
export function translated(request: ChatRequest, rules: TranslationRules): Translation {
  const { untranslatable = 'hints', temperatureMax } = rules;
  const hints = [...hintsIn(request, rules)];
  const essentials = firstNames(untranslatableIn(request));
  if (untranslatable !== 'drop') refuse(untranslatable === 'refuse' ? [...essentials, ...hints] : essentials);
  const temperature = cooled(request.temperature, rules);
  const leftOut = (untranslatable === 'drop' ? [...essentials, ...hints] : hints).slice(0, notedMax);
  const notes = [
    ...(leftOut.length > 0 ? [`left out for a provider of another format: ${leftOut.join(', ')}`] : []),
    ...pricedNotes(unnoted(pricedIn(request.wire.body), [...essentials, ...hints])),
    ...(temperature === request.temperature ? [] : [`temperature lowered to ${temperatureMax}`]),
  ];
  return { temperature, notes };
}

/** The fields that no other note tells of, by themselves or with the field around them. */
function unnoted(names: readonly string[], noted: readonly string[]): readonly string[] {
  return names.filter((name) => !noted.includes(name.split('.', 1)[0] ?? name));
}

function firstNames(paths: Iterable<FieldPath>): readonly string[] {
  const names = new Set<string>();
  for (const path of paths) {
    names.add(fieldName(path));
    if (names.size === notedMax) break;
  }
  return [...names];
}

function refuse(found: readonly string[]): void {
  const names = new Set(found.slice(0, shownMax));
  if (names.size === 0) return;
  throw new GatewayError('invalid-request', {
    detail: `${listed([...names])} cannot be translated: the model's provider speaks another format. Leave ${names.size === 1 ? 'it' : 'them'} out, or choose a model whose provider speaks the format of this endpoint.`,
    details: names.has('thread') ? threadUnsupported : undefined,
  });
}

/** Libraries of the messages format start conversations that the provider keeps; told so, they send all of it each time. */
const threadUnsupported = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

/** The contract allows more heat than some formats know. */
function cooled(temperature: number | undefined, rules: TranslationRules): number | undefined {
  const { untranslatable, temperatureMax } = rules;
  if (temperature === undefined || temperature <= temperatureMax) return temperature;
  if (untranslatable !== 'refuse') return temperatureMax;
  const rule = `must be between 0 and ${temperatureMax} for this model, whose provider knows nothing above`;
  throw invalidRequest([{ path: ['temperature'], rule }]);
}

function* hintsIn({ wire: { format, body } }: ChatRequest, { hasLogprobs }: TranslationRules): Generator<string> {
  if (format === 'messages') return;
  if (format === 'responses') {
    yield* leftOutOfResponses(body);
    if (hasLogprobs !== true) yield* logprobsInResponses(body);
    return;
  }
  for (const [name, value] of Object.entries(body)) {
    if (value !== null && value !== undefined && samplingHints.has(name)) yield name;
  }
}

function untranslatableIn(request: ChatRequest): Iterable<FieldPath> {
  const { format, body } = request.wire;
  switch (format) {
    case 'messages':
      return untranslatableInMessages(body);
    case 'chat-completions':
      return untranslatableInChat(body);
    case 'completions':
      return untranslatableInPrompt(body);
    case 'responses':
      return untranslatableInResponses(body);
    default:
      return format satisfies never;
  }
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
