import type { z } from 'zod';
import type { PassThroughAnswer, PassThroughUsage, SplitCall } from '../../../core/pass-through-call.ts';
import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';
import { invalidFields, infiniteFields, invalidRequest } from 'chat-formats/invalid-request.ts';
import { spliceMembers } from 'chat-formats/json/json-splice.ts';
import { decodePriceOptions, pricedNotes, unpricedText } from 'chat-formats/priced-fields.ts';
import { type WireObject, nonEmptyString } from 'chat-formats/wire-value.ts';
import type { JsonBody } from '../../http/exchange.ts';
import type { PassThroughQuery } from '../../inference/infer-pass-through.ts';
import type { PassThroughReader } from '../../inference/money/pass-through-bill.ts';
import { withModel } from './answer.ts';
import { StreamedUsage } from './usage.ts';

export type EndpointDefinition = EndpointPath &
  (
    | { readonly form: 'json'; decode(body: JsonBody): PassThroughQuery }
    | { readonly form: 'form-data'; decode(body: Buffer, boundary: string): PassThroughQuery }
  );

interface EndpointPath {
  readonly endpoint: PassThroughEndpoint;
  /** Relative to `/v1` at the gateway, and to the base URL at the provider. */
  readonly path: string;
}

interface BodyMeasure {
  readonly maxUnits: PassThroughUsage['units'];
  /** Units used as soon as the body is sent. */
  readonly upfrontUnits: PassThroughUsage['units'];
  /** How many times the output cap of the model applies. */
  readonly outputCapCount?: number;
  /** Texts to count prompt tokens from if the provider does not report them. */
  readonly countedTexts?: readonly string[];
  /** The share of an upstream that the request uses, in prompt tokens. */
  readonly loadTokens?: number;
}

interface JsonEndpoint<Schema extends z.ZodType> extends EndpointPath {
  readonly schema: Schema;
  readonly measure: (body: z.output<Schema>) => BodyMeasure;
  readonly readUsage: (answer: PassThroughAnswer, body: z.output<Schema>) => PassThroughUsage;
  readonly rewriteAnswer?: (answer: PassThroughAnswer, model: string, body: z.output<Schema>) => PassThroughAnswer;
  /** Splits the body if the provider accepts fewer inputs per call. */
  readonly split?: (text: string, body: z.output<Schema>, inputsMax: number) => SplitCall | undefined;
  /** The meaning of `speed` here: of the voice, or of the answer, at another price. */
  readonly speedOf?: 'voice';
  /** Which answers are streamed, and how their usage is read. Without it, no answer is streamed. */
  readonly stream?: {
    readonly contentTypes: (body: z.output<Schema>) => RegExp | undefined;
    readonly readUsage: (streamed: StreamedUsage, body: z.output<Schema>) => PassThroughUsage;
  };
}

/** Tokens that providers add to a prompt. */
export const frameTokensMax = 512;
const bytesPerToken = 4;

export function jsonEndpoint<Schema extends z.ZodType<{ model: string }>>(
  endpoint: JsonEndpoint<Schema>,
): EndpointDefinition {
  const { schema, measure, readUsage, rewriteAnswer = withModel, stream, split, speedOf, ...location } = endpoint;
  return {
    ...location,
    form: 'json',
    decode({ value, text: written, bytes }) {
      const result = schema.safeParse(value);
      if (!result.success) throw invalidRequest(invalidFields(result.error));
      const broken = infiniteFields(value as WireObject);
      if (broken.length > 0) throw invalidRequest(broken);
      const body = result.data;
      const { text, fields } = withoutLevel(written, value as WireObject, speedOf);
      const {
        maxUnits,
        upfrontUnits,
        outputCapCount = 0,
        countedTexts = [],
        loadTokens = bytes / bytesPerToken,
      } = measure(body);
      return {
        ...location,
        model: body.model,
        userId: nonEmptyString((value as WireObject)['user']),
        contentType: 'application/json',
        bytes,
        notes: pricedNotes(fields),
        maxUsage: { promptTokens: bytes + frameTokensMax, units: maxUnits },
        outputCapCount,
        upfrontUnits,
        countedTexts,
        loadTokens,
        ...(split && { split: (inputsMax: number) => split(text, body, inputsMax) }),
        encode: (model) => spliceMembers(text, new Map([['model', JSON.stringify(model)]])),
        streams: (contentType) => stream?.contentTypes(body)?.test(contentType) ?? false,
        reader: () => streamReader((streamed) => stream?.readUsage(streamed, body) ?? { units: upfrontUnits }),
        readUsage: (answer) => readUsage(answer, body),
        rewriteAnswer: (answer, model) => rewriteAnswer(answer, model, body),
      };
    },
  };
}

/** The body without fields that select a price, and their names. Pass-through endpoints have one price for each unit. */
function withoutLevel(text: string, value: WireObject, speedOf: 'voice' | undefined) {
  const { speed: _voice, ...others } = value;
  const body = speedOf === 'voice' ? others : value;
  const fields = decodePriceOptions(body)?.fields ?? [];
  return fields.length === 0 ? { text, fields } : { text: unpricedText(text, body), fields };
}

/** Server-sent events with JSON data. */
export const eventStream = /^text\/event-stream\b/i;

export function streamReader(readUsage: (streamed: StreamedUsage) => PassThroughUsage): PassThroughReader {
  const streamed = new StreamedUsage();
  return {
    measure: (bytes) => streamed.measure(bytes),
    get used() {
      return readUsage(streamed);
    },
  };
}
