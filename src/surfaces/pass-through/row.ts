import type { z } from 'zod';
import type { PassThroughAnswer, PassThroughUsage, SplitCall } from '../../core/pass-through-call.ts';
import type { PassThroughEndpoint } from '../../core/pass-through-endpoint.ts';
import { brokenRules, infiniteFields, invalidRequest } from '../../dialects/invalid-request.ts';
import { spliceMembers } from '../../dialects/json-splice.ts';
import { type WireObject, wordOf } from '../../dialects/wire-value.ts';
import type { JsonBody } from '../../http/exchange.ts';
import type { PassThroughQuery } from '../../inference/infer-pass-through.ts';
import type { PassThroughReader } from '../../inference/pass-through-meter.ts';
import { underName } from './answer.ts';
import { StreamedUsage } from './streamed-usage.ts';

/** An endpoint that passes bodies on: where it is, and what a body of it asks for. */
export type PassThroughRow = EndpointPath &
  (
    | { readonly form: 'json'; decode(body: JsonBody): PassThroughQuery }
    | { readonly form: 'form-data'; decode(body: Buffer, boundary: string): PassThroughQuery }
  );

interface EndpointPath {
  readonly endpoint: PassThroughEndpoint;
  /** Below `/v1` here, and below the base address at the provider. */
  readonly path: string;
}

/** What a body comes to, before anybody has answered it. */
export interface MeasuredAnswer {
  /** The most units it can use. */
  readonly most: PassThroughUsage['units'];
  /** Those that are used as soon as it is sent. */
  readonly given: PassThroughUsage['units'];
  readonly outputs?: number;
  readonly texts?: readonly string[];
  readonly effort?: number;
}

interface JsonEndpoint<Schema extends z.ZodType> extends EndpointPath {
  readonly schema: Schema;
  readonly measure: (body: z.output<Schema>) => MeasuredAnswer;
  readonly used: (answer: PassThroughAnswer, body: z.output<Schema>) => PassThroughUsage;
  readonly shown?: (answer: PassThroughAnswer, model: string, body: z.output<Schema>) => PassThroughAnswer;
  /** The body as several, where a provider takes fewer inputs at once. */
  readonly split?: (text: string, body: z.output<Schema>, inputsMax: number) => SplitCall | undefined;
  /** Which answers go to the client as they come, and what they use; without it, all are whole. */
  readonly stream?: {
    readonly kinds: (body: z.output<Schema>) => RegExp | undefined;
    readonly used: (told: StreamedUsage, body: z.output<Schema>) => PassThroughUsage;
  };
}

/** What providers write around a prompt. */
export const frameTokensMax = 512;
const bytesPerToken = 4;

/** An endpoint whose bodies are JSON. */
export function jsonRow<Schema extends z.ZodType<{ model: string }>>(endpoint: JsonEndpoint<Schema>): PassThroughRow {
  const { schema, measure, used, shown = underName, stream, split, ...place } = endpoint;
  return {
    ...place,
    form: 'json',
    decode({ value, text, bytes }) {
      const result = schema.safeParse(value);
      if (!result.success) throw invalidRequest(brokenRules(result.error));
      const broken = infiniteFields(value as WireObject);
      if (broken.length > 0) throw invalidRequest(broken);
      const body = result.data;
      const { most, given, outputs = 0, texts = [], effort = bytes / bytesPerToken } = measure(body);
      return {
        ...place,
        model: body.model,
        userId: wordOf((value as WireObject)['user']),
        contentType: 'application/json',
        bytes,
        most: { promptTokens: bytes + frameTokensMax, units: most },
        outputs,
        given,
        texts,
        effort,
        ...(split && { split: (inputsMax: number) => split(text, body, inputsMax) }),
        encode: (model) => spliceMembers(text, new Map([['model', JSON.stringify(model)]])),
        streams: (contentType) => stream?.kinds(body)?.test(contentType) ?? false,
        reader: () => streamReader((told) => stream?.used(told, body) ?? { units: given }),
        used: (answer) => used(answer, body),
        shown: (answer, model) => shown(answer, model, body),
      };
    },
  };
}

/** Events, whose data is JSON. */
export const eventStream = /^text\/event-stream\b/i;

/** Reads an answer as it passes, and says what it has used so far. */
export function streamReader(used: (told: StreamedUsage) => PassThroughUsage): PassThroughReader {
  const told = new StreamedUsage();
  return {
    see: (bytes) => told.see(bytes),
    get used() {
      return used(told);
    },
  };
}
