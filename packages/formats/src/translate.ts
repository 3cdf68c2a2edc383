import type { ChatRequest, WireFormat } from './chat/chat-request.ts';
import { GatewayError } from './gateway-error.ts';
import type { Untranslatable } from './chat/model.ts';
import { unsupportedInChat } from './chat-completions/request/unsupported-fields.ts';
import { unsupportedInPrompt } from './chat-completions/request/encode-completion-request.ts';
import { type FieldPath, fieldName, invalidRequest } from './invalid-request.ts';
import { unsupportedInMessages } from './messages/request/unsupported-fields.ts';
import { pricedNotes } from './priced-fields.ts';
import {
  leftOutOfResponses,
  logprobsInResponses,
  unsupportedInResponses,
} from './responses/request/unsupported-fields.ts';
import { samplingHints } from './sampling-hints.ts';
import type { WireObject } from './wire-value.ts';

/** At most this many fields are named in the error: more do not help to correct a request. */
const shownMax = 3;

/** At most this many fields are named in the record. */
const notedMax = 16;

/** How a request is encoded for a provider of any format. */
export interface RequestEncoding {
  readonly model: string;
  /** The cap sent to the provider, independent of the client's; `undefined` sends none. */
  readonly maxTokens: number | undefined;
  readonly thinkingCapable: boolean;
  /** How to treat fields that the provider's format lacks. The default leaves out hints and rejects the others. */
  readonly untranslatable?: Untranslatable | undefined;
}

interface TranslationRules extends Pick<RequestEncoding, 'untranslatable'> {
  /** The highest temperature that the provider accepts. */
  readonly temperatureMax: number;
  readonly hasLogprobs?: boolean;
}

/**
 * Encoders into a format other than the client's call it first. They silently leave out fields that core does not have.
 * Throws `invalid-request` if that could change the answer, unless the model is configured to drop such fields.
 */
export function translate(request: ChatRequest, rules: TranslationRules) {
  const { untranslatable = 'hints', temperatureMax } = rules;
  const hints = [...hintsIn(request, rules)];
  const essentials = firstNames(unsupportedIn[request.wire.format](request.wire.body));
  if (untranslatable !== 'drop') rejectFields(untranslatable === 'refuse' ? [...essentials, ...hints] : essentials);
  const temperature = limitedTemperature(request.temperature, rules);
  const leftOut = (untranslatable === 'drop' ? [...essentials, ...hints] : hints).slice(0, notedMax);
  const notes = [
    ...(leftOut.length > 0 ? [`left out for a provider of another format: ${leftOut.join(', ')}`] : []),
    ...pricedNotes(withoutNoted(request.priceOptions?.fields ?? [], [...essentials, ...hints])),
    ...(temperature === request.temperature ? [] : [`temperature lowered to ${temperatureMax}`]),
  ];
  // The notes are for the request's record.
  return { temperature, notes };
}

/** The names that are not in another note, neither themselves nor with the field that contains them. */
function withoutNoted(names: readonly string[], notedNames: readonly string[]): readonly string[] {
  return names.filter((name) => !notedNames.includes(name.split('.', 1)[0] ?? name));
}

function firstNames(paths: Iterable<FieldPath>): readonly string[] {
  const names = new Set<string>();
  for (const path of paths) {
    names.add(fieldName(path));
    if (names.size === notedMax) break;
  }
  return [...names];
}

function rejectFields(fields: readonly string[]): void {
  const names = new Set(fields.slice(0, shownMax));
  if (names.size === 0) return;
  throw new GatewayError('invalid-request', {
    detail: `${joinNames([...names])} cannot be translated: the model's provider uses another format. Leave ${names.size === 1 ? 'it' : 'them'} out, or choose a model whose provider uses the format of this endpoint.`,
    details: names.has('thread') ? threadUnsupported : undefined,
  });
}

/** On this error, client libraries that started a thread at the provider send the complete conversation. */
export const threadUnsupported = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

/** The contract allows higher temperatures than some formats. */
function limitedTemperature(temperature: number | undefined, rules: TranslationRules): number | undefined {
  const { untranslatable, temperatureMax } = rules;
  if (temperature === undefined || temperature <= temperatureMax) return temperature;
  if (untranslatable !== 'refuse') return temperatureMax;
  const rule = `must be between 0 and ${temperatureMax} for this model, because its provider accepts no higher value`;
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

const unsupportedIn: Readonly<Record<WireFormat, (body: WireObject) => Iterable<FieldPath>>> = {
  messages: unsupportedInMessages,
  'chat-completions': unsupportedInChat,
  completions: unsupportedInPrompt,
  responses: unsupportedInResponses,
};

function joinNames(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
