import { GatewayError } from '../../core/gateway-error.ts';
import type { DeltaEvent } from '../chat-completions/stream-encoder.ts';
import { BlockWriter } from './block-writer.ts';
import { JsonObjectEnd } from './json-object-end.ts';

/** As much as one event of a provider may hold. */
const heldCharactersMax = 8 * 1024 * 1024;

/**
 * Puts the content of an answer into blocks that never overlap. A call is over when its arguments are a whole object;
 * until then whatever else is said waits for it, since providers may mix the pieces of calls made at once.
 */
export class ContentEncoder {
  readonly #blocks = new BlockWriter();
  readonly #calls = new Set<number>();
  #openCall: number | undefined;
  #openCallEnd = new JsonObjectEnd();
  #held: DeltaEvent[] = [];
  #heldCharacters = 0;

  get hasCalledTools(): boolean {
    return this.#calls.size > 0;
  }

  encode(event: DeltaEvent): string {
    if (this.#openCall === undefined) return this.#write(event);
    if (event.type === 'tool-call-delta' && event.call === this.#openCall) return this.#input(event.arguments);
    if (!this.#openCallEnd.isComplete) return this.#hold(event);
    this.#openCall = undefined;
    return this.#write(event);
  }

  /** Lets go of what waits, and ends the last block. */
  end(): string {
    let text = '';
    while (this.#held.length > 0) text += this.#release();
    return text + this.#blocks.close();
  }

  #write(event: DeltaEvent): string {
    switch (event.type) {
      case 'text-delta':
        return event.text === '' ? '' : this.#blocks.text(event.text);
      case 'reasoning-delta':
        return event.text === '' ? '' : this.#blocks.thinking(event.text);
      case 'reasoning-signature':
        return this.#blocks.signature(event.signature);
      case 'redacted-reasoning':
        return this.#blocks.redactedThinking(event.data);
      case 'tool-call-start':
        return this.#call(event);
      case 'tool-call-delta':
        // Of a call that never began, or behind the end of its arguments.
        return '';
      default:
        return event satisfies never;
    }
  }

  #call({ call, id, name }: Extract<DeltaEvent, { type: 'tool-call-start' }>): string {
    if (this.#calls.has(call)) return '';
    this.#calls.add(call);
    this.#openCall = call;
    this.#openCallEnd = new JsonObjectEnd();
    return this.#blocks.toolUse(id, name);
  }

  #input(json: string): string {
    if (json === '') return '';
    this.#openCallEnd.push(json);
    const text = this.#blocks.input(json);
    return this.#openCallEnd.isComplete && this.#held.length > 0 ? text + this.#release() : text;
  }

  #hold(event: DeltaEvent): string {
    this.#heldCharacters += charactersOf(event);
    if (this.#heldCharacters > heldCharactersMax) throw neverEnding();
    this.#held.push(event);
    return '';
  }

  /** The open call is over. What waited for it may begin another, for which the rest waits again. */
  #release(): string {
    const held = this.#held;
    this.#held = [];
    this.#heldCharacters = 0;
    this.#openCall = undefined;
    let text = '';
    for (const event of held) text += this.encode(event);
    return text;
  }
}

function charactersOf(event: DeltaEvent): number {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return event.text.length;
    case 'reasoning-signature':
      return event.signature.length;
    case 'redacted-reasoning':
      return event.data.length;
    case 'tool-call-start':
      return event.id.length + event.name.length;
    case 'tool-call-delta':
      return event.arguments.length;
    default:
      return event satisfies never;
  }
}

function neverEnding(): GatewayError {
  return new GatewayError('upstream-failed', {
    cause: new Error(`A tool call is not complete although ${heldCharactersMax} characters came behind it.`),
  });
}
