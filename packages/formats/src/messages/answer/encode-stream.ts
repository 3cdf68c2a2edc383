import type { StreamEvent } from '../../chat/stream-event.ts';
import type { Usage } from '../../chat/usage.ts';
import type { DeltaEvent, FinishEvent, StreamEncoder } from '../../chat-completions/answer/stream-encoder.ts';
import { addCostToFrames, hideProviderCostInFrames, renameStart } from './edit-answer.ts';
import { ContentEncoder, type ContentWriter } from '../../content-encoder.ts';
import {
  blockStopFrame,
  type MessagesEncoding,
  messageDeltaFrame,
  messageStartFrame,
  messageStopFrame,
  blockStartFrame,
  deltaEnd,
  deltaOpening,
  encodeStopReason,
} from './message-frames.ts';
import { objectOf, parsedJson, isObject, type WireObject } from '../../wire-value.ts';

/** The events of one message, or the original frames of this format. It has one choice; others are left out. */
export class MessagesStreamEncoder implements StreamEncoder {
  readonly #encoding: MessagesEncoding;
  readonly #content = new ContentEncoder(new BlockWriter());
  #hasStarted = false;
  #isVerbatim = false;
  /** The last original frames that contained block events. */
  #lastBlocks = '';
  /** Original frames from the last `message_delta` on, if its usage gets the charge. */
  #held = '';
  #finish: FinishEvent | undefined;
  #usageSoFar: Usage | undefined;
  #usage: Usage | undefined;

  constructor(encoding: MessagesEncoding) {
    this.#encoding = encoding;
  }

  encode(batch: readonly StreamEvent[]): string {
    let text = '';
    for (const event of batch) text += this.#encodeEvent(event);
    return text;
  }

  /** The stop reason is held back until here: an answer that fails must not show one. */
  done(): string {
    if (this.#isVerbatim && !this.#finish) return this.#usage ? addCostToFrames(this.#held, this.#usage) : this.#held;
    if (!this.#finish) throw new Error('The answer has no finish.');
    if (!this.#usage) throw new Error('The answer has no usage.');
    const { stopSequence } = this.#finish;
    const content = this.#start(this.#usageSoFar ?? this.#usage) + this.#content.end() + this.#openBlockEnd();
    const stopReason = encodeStopReason(this.#finish, this.#content.hasCalledTools);
    const stoppedBy = stopReason === 'stop_sequence' ? stopSequence : undefined;
    return this.#held + content + messageDeltaFrame(stopReason, stoppedBy, this.#usage) + messageStopFrame;
  }

  #encodeEvent(event: StreamEvent): string {
    if (event.type === 'verbatim') return this.#passOn(hideProviderCostInFrames(event.text));
    // Original frames already contain the events, unless the answer was cut off.
    if (this.#isVerbatim && event.type !== 'usage' && !(event.type === 'finish' && event.breaksOff)) return '';
    switch (event.type) {
      case 'usage-so-far':
        this.#usageSoFar = event.usage;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'finish':
        if (event.choice === 0) this.#finish = event;
        return '';
      case 'anomaly':
        return '';
      default:
        return event.choice === 0 ? this.#delta(event) : '';
    }
  }

  /** Replaces the provider's model name with the catalog's. All other text stays unchanged. */
  #passOn(frames: string): string {
    this.#isVerbatim = true;
    if (frames.includes('content_block_')) this.#lastBlocks = frames;
    if (this.#hasStarted) return this.#holdEnd(frames);
    const renamed = renameStart(frames, this.#encoding.model);
    this.#hasStarted = renamed !== undefined;
    return this.#holdEnd(renamed ?? frames);
  }

  /** Holds back the end of the message if its usage gets the charge. If content follows, it was not the end. */
  #holdEnd(frames: string): string {
    if (!this.#encoding.reportsCost) return frames;
    const isEnd = frames.includes('"message_delta"');
    if (!isEnd && this.#held !== '' && !frames.includes('content_block_')) {
      this.#held += frames;
      return '';
    }
    const earlier = this.#held;
    this.#held = isEnd ? frames : '';
    return isEnd ? earlier : earlier + frames;
  }

  #openBlockEnd(): string {
    const open = openBlock(this.#lastBlocks);
    return open === undefined ? '' : blockStopFrame(open);
  }

  #delta(event: DeltaEvent): string {
    const text = this.#content.encode(event);
    return this.#hasStarted || text === '' ? text : this.#start(this.#usageSoFar) + text;
  }

  #start(usage: Usage | undefined): string {
    if (this.#hasStarted) return '';
    this.#hasStarted = true;
    return messageStartFrame(this.#encoding, usage);
  }
}

/** The index of the block that is open after a provider's frames, if there is one. */
function openBlock(frames: string): number | undefined {
  const last = [...frames.matchAll(dataLine)].findLast(([, data = '']) => data.includes('content_block_'));
  const { type, index } = objectOf(parsedJson(last?.[1] ?? '')) ?? {};
  return type === 'content_block_stop' || typeof index !== 'number' ? undefined : index;
}

/** Only CR and LF end a line of an event stream. JSON may contain other line separators. */
const dataLine = /(?:^|[\r\n])data: ?([^\r\n]*)/g;

type OpenBlock = 'text' | 'thinking' | 'tool_use';

const emptyBlocks = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
} as const;

const deltas = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool_use: ['input_json_delta', 'partial_json'],
} as const;

class BlockWriter implements ContentWriter {
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
