import type { Usage } from './usage.ts';

/** Everything that an answer can consist of, in any wire format. Failures are not events; they end the flow. */
export type StreamEvent =
  | {
      readonly type: 'text-delta';
      readonly choice: number;
      readonly text: string;
      readonly logprobs?: Logprobs;
      /** Forwarded as reasoning before, until the end showed that it was the answer: not counted again. */
      readonly isRepeated?: true;
    }
  | { readonly type: 'reasoning-delta'; readonly choice: number; readonly text: string; readonly logprobs?: Logprobs }
  /** The provider's proof of the reasoning before it, needed when the conversation continues. */
  | { readonly type: 'reasoning-signature'; readonly choice: number; readonly signature: string }
  /** Reasoning that only the provider can read. */
  | { readonly type: 'redacted-reasoning'; readonly choice: number; readonly data: string }
  | OwnBlock
  | {
      readonly type: 'tool-call-start';
      readonly choice: number;
      readonly call: number;
      readonly id: string;
      readonly name: string;
      readonly signature?: string | undefined;
    }
  | { readonly type: 'tool-call-delta'; readonly choice: number; readonly call: number; readonly arguments: string }
  | {
      readonly type: 'finish';
      readonly choice: number;
      readonly reason: FinishReason;
      readonly raw: string;
      /** The stop sequence that ended it, if the provider reports it. */
      readonly stopSequence?: string | undefined;
      /** The gateway ended a verbatim stream before its own end: the client's format must add one. */
      readonly breaksOff?: true;
    }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Usage at the beginning of the answer: the input is final, the output is not yet known. */
  | { readonly type: 'usage-so-far'; readonly usage: Usage }
  /** The exact bytes of the provider, for a client of the same format. The events next to it carry the same content. */
  | { readonly type: 'verbatim'; readonly text: string }
  /** A repair or omission between client and provider, for the request's record; not sent to clients. */
  | { readonly type: 'anomaly'; readonly what: string };

/**
 * A part of the answer that only the provider's own format can express, such as a search result, or the fields of a
 * delta. It is produced only if the client uses that format too. A part that takes time is sent first without its
 * block, when it begins, and again when the block is complete.
 */
export interface OwnBlock {
  readonly type: 'own-block';
  readonly choice: number;
  readonly block?: Readonly<Record<string, unknown>>;
}

export type ChoiceEvent = Extract<StreamEvent, { readonly choice: number }>;

/** Whether the client gets any of it. A finish is content: an answer may be complete without text. */
export function isContent({ type }: StreamEvent): boolean {
  return type !== 'usage' && type !== 'usage-so-far' && type !== 'anomaly';
}

/** Why a choice ended. `raw` has the provider's own value; `other` means that only `raw` is meaningful. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';

/** Per-token records, in the order of the tokens. */
export type Logprobs = readonly TokenLogprob[];

export interface TokenLogprob extends TokenAlternative {
  readonly alternatives: readonly TokenAlternative[] | undefined;
}

export interface TokenAlternative {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8 bytes of the token; `null` if it has no byte representation. */
  readonly bytes: readonly number[] | null;
}
