import type { Usage } from '../../core/usage.ts';
import { encodeUsage } from './encode-usage.ts';

/** What every frame of one answer repeats, and what the client asked to see in them. */
export interface AnswerEncoding {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The catalog id of the model that answers. */
  readonly model: string;
  readonly logprobs: boolean;
  /** Names the provider in the usage. */
  readonly usageSource: string;
}

/** The unchanging parts of an answer's frames, rendered once. */
export interface AnswerFrames {
  /** Stands before a choice. */
  readonly opening: string;
  /** Stands behind a choice. */
  readonly closing: string;
  usage(usage: Usage): string;
}

export const terminator = 'data: [DONE]\n\n';

/** Stands behind every choice that brings no usage. */
export const closing = '],"usage":null}\n\n';

export function answerFrames(object: string, { id, created, model, usageSource }: AnswerEncoding): AnswerFrames {
  const head = JSON.stringify({ id, object, created, model, system_fingerprint: null }).slice(0, -1);
  return {
    opening: `data: ${head},"choices":[`,
    closing,
    usage: (usage) => `data: ${head},"choices":[],"usage":${JSON.stringify(encodeUsage(usage, usageSource))}}\n\n`,
  };
}
