import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { GatewayError } from '../../core/gateway-error.ts';
import type { AnsweredAs } from '../../core/request-trace.ts';
import type { FinishReason, StreamEvent } from '../../core/chat/stream-event.ts';
import { decodeErrorObject } from '../../dialects/chat-completions/answer/decode-error.ts';
import { isObject, nonEmptyString } from '../../dialects/wire-value.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { decodeBridgeUsage } from './bridge-usage.ts';

type SdkPart<Type> = Extract<LanguageModelV4StreamPart, { type: Type }>;

/** Decodes the stream parts of a provider package. `take` returns all events since the last call as one batch. */
export class PartDecoder {
  readonly #kind: BridgeKind;
  readonly #answeredAs: AnsweredAs | undefined;
  readonly #newId: () => string;
  readonly #calls = new Map<string, { readonly call: number; hasArguments: boolean }>();
  readonly #anomalies = new Set<string>();
  #events: StreamEvent[] = [];
  #malformed = 0;
  isDone = false;

  constructor(kind: BridgeKind, newId: () => string, notes: readonly string[] = [], answeredAs?: AnsweredAs) {
    this.#answeredAs = answeredAs;
    for (const note of notes) this.#note(note);
    this.#kind = kind;
    this.#newId = newId;
  }

  take(): readonly StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Throws if the part reports that the answer failed. */
  push(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        if (part.delta !== '') this.#events.push({ type: 'text-delta', choice: 0, text: part.delta });
        return;
      case 'reasoning-delta':
        if (part.delta !== '') this.#events.push({ type: 'reasoning-delta', choice: 0, text: part.delta });
        return this.#proof(part.providerMetadata);
      case 'reasoning-end':
        return this.#redacted(part.providerMetadata);
      case 'tool-input-start':
        if (part.providerExecuted) return this.#note('a tool the provider ran itself');
        return this.#startCall(part.id, part.toolName, part.providerMetadata);
      case 'tool-input-delta':
        return this.#callDelta(part.id, part.delta);
      case 'tool-call':
        return this.#wholeCall(part);
      case 'raw':
        return this.#raw(part.rawValue);
      case 'stream-start':
        return this.#warnings(part.warnings);
      case 'finish':
        return this.#finish(part);
      case 'error':
        return this.#packageError(part.error);
      case 'file':
      case 'reasoning-file':
        return this.#note(`a file of type ${part.mediaType} was left out`);
      case 'source':
        return this.#note('sources were left out');
      case 'tool-result':
      case 'tool-approval-request':
      case 'custom':
        return this.#note(`a part of type ${part.type} was left out`);
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'tool-input-end':
      case 'ping':
        return;
      case 'response-metadata':
        return this.#answeredAs?.(part.id ?? '');
      default:
        part satisfies never;
    }
  }

  /** Packages ignore an error that they do not recognise, and would end a broken answer as complete. */
  #raw(value: unknown): void {
    const error = isObject(value) ? decodeErrorObject(value) : undefined;
    if (error) throw error;
    if (this.#kind.readRaw) this.#events.push(...this.#kind.readRaw(value));
  }

  /** Up to `malformedMax` frames that are not JSON are tolerated. Any other error of a package has ended the answer. */
  #packageError(error: unknown): void {
    this.#malformed += 1;
    if (!isMalformedFrame(error) || this.#malformed > malformedMax) throw new StreamedError(error);
    this.#note('a frame that is not JSON');
  }

  #proof(metadata: SharedV4ProviderMetadata | undefined): void {
    if (metadata === undefined) return;
    const signature = this.#detail(metadata, this.#kind.proofField);
    if (signature !== undefined) this.#events.push({ type: 'reasoning-signature', choice: 0, signature });
    this.#redacted(metadata);
  }

  #redacted(metadata: SharedV4ProviderMetadata | undefined): void {
    const data = this.#detail(metadata, 'redactedContent') ?? this.#detail(metadata, 'redactedData');
    if (data !== undefined) this.#events.push({ type: 'redacted-reasoning', choice: 0, data });
  }

  #detail(metadata: SharedV4ProviderMetadata | undefined, field: string | undefined): string | undefined {
    return field === undefined ? undefined : nonEmptyString(metadata?.[this.#kind.namespace]?.[field]);
  }

  #startCall(id: string, name: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const call = this.#calls.size;
    this.#calls.set(id, { call, hasArguments: false });
    const signature = this.#detail(metadata, this.#kind.proofField);
    this.#events.push({
      type: 'tool-call-start',
      choice: 0,
      call,
      id: id === '' ? this.#newId() : id,
      name,
      ...(signature !== undefined && { signature }),
    });
  }

  #callDelta(id: string, text: string): void {
    const known = this.#calls.get(id);
    if (!known || text === '') return;
    known.hasArguments = true;
    this.#events.push({ type: 'tool-call-delta', choice: 0, call: known.call, arguments: text });
  }

  /** A complete call repeats the pieces, if there were any. A call without arguments gets an empty object. */
  #wholeCall(part: SdkPart<'tool-call'>): void {
    if (part.providerExecuted) return this.#note('a tool the provider ran itself');
    if (!this.#calls.has(part.toolCallId)) this.#startCall(part.toolCallId, part.toolName, part.providerMetadata);
    if (!this.#calls.get(part.toolCallId)?.hasArguments) this.#callDelta(part.toolCallId, part.input || '{}');
  }

  #warnings(warnings: readonly SharedV4Warning[]): void {
    for (const warning of warnings) {
      // How a provider maps an effort to its own levels does not change the request.
      if (warning.type === 'compatibility' && warning.feature === 'reasoning') continue;
      this.#note('message' in warning ? warning.message : `${warning.feature}: ${warning.details ?? warning.type}`);
    }
  }

  #finish({ finishReason, usage, providerMetadata }: SdkPart<'finish'>): void {
    const reason = reasonOf(finishReason);
    const { raw = finishReason.unified } = finishReason;
    const stopSequence = this.#detail(providerMetadata, 'stopSequence');
    const counts = decodeBridgeUsage(usage, (what) => this.#note(what));
    for (const what of this.#anomalies) this.#events.push({ type: 'anomaly', what });
    this.#events.push({ type: 'finish', choice: 0, reason, raw, ...(stopSequence !== undefined && { stopSequence }) });
    if (counts) this.#events.push({ type: 'usage', usage: counts });
    this.isDone = true;
  }

  /** Reported at the end, so that an anomaly does not count as the beginning of an answer. */
  #note(what: string): void {
    if (this.#anomalies.size < anomaliesMax) this.#anomalies.add(what.slice(0, anomalyCharactersMax));
  }
}

/** With more malformed frames than this, the provider does not follow its protocol. */
const malformedMax = 10;
const anomaliesMax = 20;
const anomalyCharactersMax = 200;

function isMalformedFrame(error: unknown): boolean {
  return isObject(error) && error.name === 'AI_JSONParseError';
}

/** Throws if there is none: the stream ended, but the answer did not. */
function reasonOf({ unified, raw }: LanguageModelV4FinishReason): FinishReason {
  const known = raw === undefined ? undefined : otherReasons[raw];
  if (known !== undefined) return known;
  if (unified === 'error' || unified === 'interrupted' || raw === undefined) {
    throw new GatewayError('upstream-failed', {
      cause: new Error(raw === undefined ? 'the stream ended before the answer did' : `the answer ended with ${raw}`),
    });
  }
  return unified;
}

/** Finish reasons of providers that their packages do not map. */
const otherReasons: Readonly<Record<string, FinishReason>> = {
  refusal: 'content-filter',
  model_context_window_exceeded: 'length',
};

/** An error that a provider sent instead of a part of its answer. */
export class StreamedError extends Error {
  /** The error as the package reports it. */
  readonly error: unknown;

  constructor(error: unknown) {
    super('the provider sent an error instead of an answer');
    this.name = 'StreamedError';
    this.error = error;
  }
}
