import type { z } from 'zod';
import type { PassThroughAnswer, PassThroughUsage, SplitCall } from '../../core/pass-through-call.ts';
import type { PassThroughEndpoint } from '../../core/pass-through-endpoint.ts';
import { invalidFields, infiniteFields, invalidRequest } from '../../dialects/invalid-request.ts';
import { spliceMembers } from '../../dialects/json-splice.ts';
import { type WireObject, nonEmptyString } from '../../dialects/wire-value.ts';
import type { JsonBody } from '../../http/exchange.ts';
import type { PassThroughQuery } from '../../inference/infer-pass-through.ts';
import type { PassThroughReader } from '../../inference/pass-through-meter.ts';
import { withModel } from './answer.ts';
import { StreamedUsage } from './streamed-usage.ts';

/** A pass-through endpoint: its path, and how its body is decoded. */
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

/** The usage of a body, known before it is sent. */
export interface MeasuredAnswer {
  /** Maximum units. */
  readonly most: PassThroughUsage['units'];
  /** Units used as soon as it is sent. */
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
  /** Splits the body if the provider accepts fewer inputs per call. */
  readonly split?: (text: string, body: z.output<Schema>, inputsMax: number) => SplitCall | undefined;
  /** Which answers are streamed, and how their usage is read. Without it, no answer is streamed. */
  readonly stream?: {
    readonly kinds: (body: z.output<Schema>) => RegExp | undefined;
    readonly used: (streamed: StreamedUsage, body: z.output<Schema>) => PassThroughUsage;
  };
}

/** Tokens that providers add to a prompt. */
export const frameTokensMax = 512;
const bytesPerToken = 4;

/** An endpoint with JSON bodies. */
export function jsonEndpoint<Schema extends z.ZodType<{ model: string }>>(
  endpoint: JsonEndpoint<Schema>,
): EndpointDefinition {
  const { schema, measure, used, shown = withModel, stream, split, ...location } = endpoint;
  return {
    ...location,
    form: 'json',
    decode({ value, text, bytes }) {
      const result = schema.safeParse(value);
      if (!result.success) throw invalidRequest(invalidFields(result.error));
      const broken = infiniteFields(value as WireObject);
      if (broken.length > 0) throw invalidRequest(broken);
      const body = result.data;
      const { most, given, outputs = 0, texts = [], effort = bytes / bytesPerToken } = measure(body);
      return {
        ...location,
        model: body.model,
        userId: nonEmptyString((value as WireObject)['user']),
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
        reader: () => streamReader((streamed) => stream?.used(streamed, body) ?? { units: given }),
        used: (answer) => used(answer, body),
        shown: (answer, model) => shown(answer, model, body),
      };
    },
  };
}

/** Server-sent events with JSON data. */
export const eventStream = /^text\/event-stream\b/i;

/** Reads the usage of an answer while it streams. */
export function streamReader(used: (streamed: StreamedUsage) => PassThroughUsage): PassThroughReader {
  const streamed = new StreamedUsage();
  return {
    see: (bytes) => streamed.see(bytes),
    get used() {
      return used(streamed);
    },
  };
}
