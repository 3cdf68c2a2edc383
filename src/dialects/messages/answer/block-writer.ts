import type { ContentWriter } from '../../content-encoder.ts';
import { isObject, type WireObject } from '../../wire-value.ts';
import { blockStartFrame, blockStopFrame, deltaEnd, deltaOpening } from './message-frames.ts';

type OpenBlock = 'text' | 'thinking' | 'tool_use';

const emptyBlocks = {
  text: { type: 'text', text: '', citations: null },
  thinking: { type: 'thinking', thinking: '', signature: '' },
} as const;

const deltas = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool_use: ['input_json_delta', 'partial_json'],
} as const;

/** Writes the blocks of a message one after the other: starting a block ends the one before it. */
export class BlockWriter implements ContentWriter {
  #index = -1;
  #open: OpenBlock | undefined;
  /** The text before the value of each delta of the open block. */
  #opening = '';

  text(text: string): string {
    return this.#ensure('text') + this.#opening + JSON.stringify(text) + deltaEnd;
  }

  thinking(text: string): string {
    return this.#ensure('thinking') + this.#opening + JSON.stringify(text) + deltaEnd;
  }

  /** Ends the thinking block with its signature. Reasoning that is not shown is a block with only a signature. */
  signature(signature: string): string {
    return this.#ensure('thinking') + this.#sign(signature) + this.#stop();
  }

  redactedThinking(data: string): string {
    return this.completeBlock({ type: 'redacted_thinking', data });
  }

  /** Writes a block unchanged, except that the input of a tool follows in a delta, as clients expect. */
  completeBlock(block: WireObject): string {
    if (isObject(block.input)) {
      const opened = this.#begin('tool_use', { ...block, input: {} });
      return opened + this.input(JSON.stringify(block.input)) + this.#stop();
    }
    const closed = this.close();
    this.#index += 1;
    return closed + blockStartFrame(this.#index, block) + blockStopFrame(this.#index);
  }

  toolUse(id: string, name: string): string {
    return this.#begin('tool_use', { type: 'tool_use', id, name, input: {} });
  }

  /** A piece of the input of the tool that started last. */
  input(json: string): string {
    return this.#opening + JSON.stringify(json) + deltaEnd;
  }

  close(): string {
    if (this.#open === undefined) return '';
    // A thinking block always ends with a signature: clients that store it expect the field. An empty one proves
    // nothing.
    return this.#open === 'thinking' ? this.#sign('') + this.#stop() : this.#stop();
  }

  #ensure(type: 'text' | 'thinking'): string {
    return this.#open === type ? '' : this.#begin(type, emptyBlocks[type]);
  }

  #begin(type: OpenBlock, block: object): string {
    const closed = this.close();
    this.#index += 1;
    this.#open = type;
    const [deltaType, field] = deltas[type];
    this.#opening = deltaOpening(this.#index, deltaType, field);
    return closed + blockStartFrame(this.#index, block);
  }

  #sign(signature: string): string {
    return deltaOpening(this.#index, 'signature_delta', 'signature') + JSON.stringify(signature) + deltaEnd;
  }

  #stop(): string {
    this.#open = undefined;
    return blockStopFrame(this.#index);
  }
}
