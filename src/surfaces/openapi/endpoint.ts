import type { z } from 'zod';
import type { ErrorCase, errorTable } from '../../core/error-table.ts';

/** One public endpoint, as much of it as the document cannot derive. */
export interface PublicEndpoint {
  readonly method: 'get' | 'post' | 'delete';
  /** `{messages_prefix}` stands for the prefix the operator chose for the messages surface. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Paragraphs, in which `backticks` mark code. */
  readonly description: string;
  /** What a request goes through here: decides whether a key is needed and which errors are possible. */
  readonly steps: readonly GuideStep[];
  /** How the key is sent, and the frame errors come in; as on the chat-completions surface if left out. */
  readonly surface?: 'messages';
  /** What each `{name}` of the path stands for. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly request?: EndpointRequest;
  /** Whether a request that is sent again is a request of its own. */
  readonly isUnjoined?: boolean;
  readonly answer: EndpointAnswer;
}

export type GuideStep = (typeof errorTable)[ErrorCase]['guide']['step'];

export interface NamedSchema {
  /** The schema's name among the document's components. */
  readonly name: string;
  readonly schema: z.ZodType;
}

export interface EndpointRequest extends NamedSchema {
  /** What a field means when it is left out, by the field's name. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly example: unknown;
  /** JSON if left out. */
  readonly contentType?: 'multipart/form-data';
}

export type EndpointAnswer = { readonly description: string } & (
  | (NamedSchema & { readonly kind: 'stream'; readonly example: string })
  | (NamedSchema & { readonly kind: 'json'; readonly example: unknown })
  | (NamedSchema & {
      readonly kind: 'either';
      readonly example: unknown;
      readonly event: NamedSchema;
      readonly stream: string;
    })
  | { readonly kind: 'other'; readonly contentType: string; readonly type: 'object' | 'string' }
);
