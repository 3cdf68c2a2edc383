import type { Usage } from './usage.ts';

/**
 * Everything a model's answer can consist of, whatever wire format it came in or leaves in.
 * Decoders produce these, encoders consume them; failures are not events, they end the flow.
 */
export type StreamEvent =
  | {
      readonly type: 'text-delta';
      readonly choice: number;
      readonly text: string;
      readonly logprobs?: Logprobs;
      /** Passed on as reasoning before, until the end showed that it was the answer: not to be counted again. */
      readonly isRepeated?: true;
    }
  | { readonly type: 'reasoning-delta'; readonly choice: number; readonly text: string; readonly logprobs?: Logprobs }
  /** The provider's proof of the reasoning before it, needed when the conversation goes on. */
  | { readonly type: 'reasoning-signature'; readonly choice: number; readonly signature: string }
  /** Reasoning only the provider can read. */
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
      /** Which of the stop sequences ended it, where the provider says so. */
      readonly stopSequence?: string | undefined;
      /** Ended by the gateway behind what went out as it came, of which there is no end: the client's format has to end it. */
      readonly breaksOff?: true;
    }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** What was used when the answer began: its input is true, its output is not yet known. */
  | { readonly type: 'usage-so-far'; readonly usage: Usage }
  /** What the provider sent, exactly, for a client of the same format. The events beside it say the same. */
  | { readonly type: 'verbatim'; readonly text: string }
  /** What was mended or left out between client and provider, for the request's record; clients do not see it. */
  | { readonly type: 'anomaly'; readonly what: string };

/**
 * A part of the answer that only the provider's own format has a word for, such as the result of a search, or the fields
 * of a delta. It comes where the client speaks that format too. A part that takes time comes first without its block,
 * when it begins, and again when the block is whole.
 */
export interface OwnBlock {
  readonly type: 'own-block';
  readonly choice: number;
  readonly block?: Readonly<Record<string, unknown>>;
}

/** One of the events that belong to a choice. */
export type ChoiceEvent = Extract<StreamEvent, { readonly choice: number }>;

/** Whether a client sees anything of it. A finish is content: an answer may be complete with nothing said. */
export function isContent({ type }: StreamEvent): boolean {
  return type !== 'usage' && type !== 'usage-so-far' && type !== 'anomaly';
}

/** Why a choice ended. `raw` beside it keeps the provider's own word; `other` means only the raw word says it. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';

/** Per-token records, in the order the tokens were produced. */
export type Logprobs = readonly TokenLogprob[];

export interface TokenLogprob extends TokenAlternative {
  readonly alternatives: readonly TokenAlternative[] | undefined;
}

export interface TokenAlternative {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8 bytes of the token; `null` when it has no byte representation. */
  readonly bytes: readonly number[] | null;
}
