import type { z } from 'zod';
import type { ErrorCase, errorTable } from 'chat-formats/error-table.ts';

/** The parts of a public endpoint that the document cannot derive. */
export interface PublicEndpoint {
  readonly method: 'get' | 'post' | 'delete';
  /** `{messages_prefix}` stands for the prefix the operator chose for the messages surface. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Paragraphs. `Backticks` mark code. */
  readonly description: string;
  /** The processing steps of a request. They decide whether a key is needed and which errors are possible. */
  readonly steps: readonly GuideStep[];
  /** Decides the key header and the error envelope. Default: those of the chat-completions surface. */
  readonly surface?: 'messages';
  readonly parameters?: Readonly<Record<string, string>>;
  readonly request?: EndpointRequest;
  /** Whether the endpoint does not document the Idempotency-Key. */
  readonly isUnjoined?: boolean;
  /** Whether it creates a file or a batch, once for each Idempotency-Key. */
  readonly isCreation?: boolean;
  readonly answer: EndpointAnswer;
}

export type GuideStep = (typeof errorTable)[ErrorCase]['step'];

export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
}

interface EndpointRequest extends NamedSchema {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly example: unknown;
  /** Default: JSON. */
  readonly contentType?: 'multipart/form-data';
}

interface EndpointAnswer {
  readonly description: string;
  readonly contentTypes: readonly string[];
  /** The schema of the JSON or of each event. Without one, the description names the public format. */
  readonly schema?: NamedSchema;
  readonly example?: unknown;
}

type EndpointDetails = Omit<PublicEndpoint, 'method' | 'path' | 'operationId' | 'summary'>;

function row(method: PublicEndpoint['method']) {
  return (path: string, operationId: string, summary: string, details: EndpointDetails): PublicEndpoint => ({
    method,
    path,
    operationId,
    summary,
    ...details,
  });
}

export const get = row('get');
export const post = row('post');
export const remove = row('delete');

export const inferenceSteps = ['key', 'body', 'model', 'inference'] as const;

export function body(name: string, schema: z.ZodType, example: unknown, defaults = {}): EndpointRequest {
  return { name, schema, example, defaults };
}

/** An answer that is described here, because no public format has it or because it differs from one. */
export function answer(description: string, name: string, schema: z.ZodType, example?: unknown): EndpointAnswer {
  return { description, contentTypes: ['application/json'], schema: { name, schema }, example };
}

/** An answer that follows a public format, which the description names, or that no schema describes. */
export function otherAnswer(description: string, ...contentTypes: readonly string[]): EndpointAnswer {
  return { description, contentTypes: contentTypes.length > 0 ? contentTypes : ['application/json'] };
}
