import type { Usage } from '../../../core/chat/usage.ts';
import { encodeUsage } from './encode-usage.ts';

/** The values that every frame of one answer repeats, and the client's options for them. */
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

export const terminator = 'data: [DONE]\n\n';

/** Follows every choice that has no usage. */
export const closing = '],"usage":null}\n\n';

/** The constant parts of an answer's frames, rendered once. */
export class AnswerFrames {
  readonly opening: string;
  readonly #head: string;
  readonly #usageSource: string;

  constructor(object: string, { id, created, model, usageSource }: AnswerEncoding) {
    this.#head = JSON.stringify({ id, object, created, model, system_fingerprint: null }).slice(0, -1);
    this.#usageSource = usageSource;
    this.opening = `data: ${this.#head},"choices":[`;
  }

  usage(usage: Usage): string {
    const counted = JSON.stringify(encodeUsage(usage, this.#usageSource));
    return `data: ${this.#head},"choices":[],"usage":${counted}}\n\n`;
  }
}
