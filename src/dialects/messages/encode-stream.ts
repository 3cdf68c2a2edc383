import type { StreamEvent } from '../../core/stream-event.ts';
import type { Usage } from '../../core/usage.ts';
import type { DeltaEvent, FinishEvent, StreamEncoder } from '../chat-completions/stream-encoder.ts';
import { renameStart } from './answer-model.ts';
import { ContentEncoder } from '../content-encoder.ts';
import { BlockWriter } from './block-writer.ts';
import {
  blockStopFrame,
  type MessagesEncoding,
  messageDeltaFrame,
  messageStartFrame,
  messageStopFrame,
} from './message-frames.ts';
import { openBlock } from './open-block.ts';
import { encodeStopReason } from './stop-reason.ts';

/**
 * Encodes an answer as the whole life of a message: its start, its blocks one after the other, its end. What came in
 * this format goes out as it came instead. A message is one answer; others than the first have no place in it.
 */
export function messagesStreamEncoder(encoding: MessagesEncoding): StreamEncoder {
  return new MessagesStreamEncoder(encoding);
}

class MessagesStreamEncoder implements StreamEncoder {
  readonly #encoding: MessagesEncoding;
  readonly #content = new ContentEncoder(new BlockWriter());
  #hasStarted = false;
  #isVerbatim = false;
  /** What was passed on last of the blocks. */
  #lastBlocks = '';
  #finish: FinishEvent | undefined;
  /** What was used when the answer began. */
  #begun: Usage | undefined;
  #usage: Usage | undefined;

  constructor(encoding: MessagesEncoding) {
    this.#encoding = encoding;
  }

  encode(batch: readonly StreamEvent[]): string {
    let text = '';
    for (const event of batch) text += this.#one(event);
    return text;
  }

  /** The stop reason is kept back until here: an answer that fails must not have shown one. */
  done(): string {
    if (this.#isVerbatim && !this.#finish) return '';
    if (!this.#finish) throw new Error('The answer has no finish.');
    if (!this.#usage) throw new Error('The answer has no usage.');
    const { stopSequence } = this.#finish;
    const content = this.#start(this.#begun ?? this.#usage) + this.#content.end() + this.#openBlockEnd();
    const stopReason = encodeStopReason(this.#finish, this.#content.hasCalledTools);
    const stoppedBy = stopReason === 'stop_sequence' ? stopSequence : undefined;
    return content + messageDeltaFrame(stopReason, stoppedBy, this.#usage) + messageStopFrame;
  }

  #one(event: StreamEvent): string {
    if (event.type === 'verbatim') return this.#passOn(event.text);
    // What went out as it came says all of it, unless it was broken off.
    if (this.#isVerbatim && event.type !== 'usage' && !(event.type === 'finish' && event.breaksOff)) return '';
    switch (event.type) {
      case 'usage-so-far':
        this.#begun = event.usage;
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

  /** Answers carry the catalog's name of the model, whatever its provider calls it; all else is as it came. */
  #passOn(frames: string): string {
    this.#isVerbatim = true;
    if (frames.includes('content_block_')) this.#lastBlocks = frames;
    if (this.#hasStarted) return frames;
    const renamed = renameStart(frames, this.#encoding.model);
    this.#hasStarted = renamed !== undefined;
    return renamed ?? frames;
  }

  /** The end of a block that was passed on without one. */
  #openBlockEnd(): string {
    const open = openBlock(this.#lastBlocks);
    return open === undefined ? '' : blockStopFrame(open);
  }

  #delta(event: DeltaEvent): string {
    const text = this.#content.encode(event);
    return this.#hasStarted || text === '' ? text : this.#start(this.#begun) + text;
  }

  #start(usage: Usage | undefined): string {
    if (this.#hasStarted) return '';
    this.#hasStarted = true;
    return messageStartFrame(this.#encoding, usage);
  }
}
