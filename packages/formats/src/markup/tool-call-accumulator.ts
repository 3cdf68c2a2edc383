import { anomalies } from '../anomaly.ts';
import type { Tool } from '../chat/chat-request.ts';
import type { FinishReason } from '../chat/stream-event.ts';
import type { Cursor } from './cursor.ts';
import type { CallForm } from './family.ts';
import { OfferedTools } from './offered-tools.ts';
import type { EventBuffer } from './event-buffer.ts';
import { nameMax, type MarkupCursor } from './reading.ts';

interface AccumulatorOptions {
  readonly tools: readonly Tool[];
  readonly seesCalls: boolean;
  readonly repair: boolean;
  readonly newId: () => string;
}

/** Decides which names in the text are calls, assigns ids, and drops calls that the provider already sent. */
export class ToolCallAccumulator {
  readonly #cursor: Cursor;
  readonly #out: EventBuffer;
  readonly #options: AccumulatorOptions;
  readonly #tools: OfferedTools;
  readonly #ids = new Set<string>();
  /** A call has begun and its markup has not ended yet. */
  isCalling = false;
  /** Calls are read and dropped. */
  isMuted = false;
  /** Why the answer ended. Used only after the text has ended. */
  reason: FinishReason = 'stop';
  onCall: () => void = () => undefined;

  constructor(cursor: Cursor, out: EventBuffer, options: AccumulatorOptions) {
    this.#cursor = cursor;
    this.#out = out;
    this.#options = options;
    this.#tools = new OfferedTools(options.tools);
  }

  /** Returns the input and output for an engine that reads the calls after an opener. */
  createReading({ strength, shortIds }: Pick<CallForm, 'strength' | 'shortIds'>, opener: string): MarkupCursor {
    let isDropped = false;
    return {
      cursor: this.#cursor,
      tools: this.#tools,
      repair: this.#options.repair,
      opener,
      endsNaturally: () => this.reason === 'stop' || this.reason === 'tool-calls',
      begin: ({ name, id, isSure = true }) => {
        const known = this.#tools.resolveName(name);
        if (!this.#accepts(known, isSure && strength !== 'bare')) return false;
        this.#commit();
        isDropped = this.isMuted;
        if (!isDropped) this.#out.startCall(this.#chooseId(id, shortIds ?? false), known);
        return true;
      },
      write: (json) => {
        if (!isDropped) this.#out.writeArguments(json);
      },
      repaired: () => {
        if (!isDropped) this.#out.flag({ type: 'anomaly', what: anomalies.repairedCall });
      },
      dismiss: () => {
        this.#commit();
        isDropped = true;
      },
    };
  }

  #accepts(name: string, isSure: boolean): boolean {
    if (!this.#options.seesCalls) return false;
    if (this.#tools.has(name)) return true;
    return isSure && !this.#out.isInCode && name.length <= nameMax && /^[\w.-]+$/.test(name);
  }

  #commit(): void {
    this.#cursor.commit();
    this.isCalling = true;
    this.onCall();
  }

  /** Uses the model's own id if it has one, because its prompt repeats that id. */
  #chooseId(own: string | undefined, isShort: boolean): string {
    const id = own === undefined || own === '' || this.#ids.has(own) ? this.#newId(isShort) : own;
    this.#ids.add(id);
    return id;
  }

  #newId(isShort: boolean): string {
    const fresh = this.#options.newId();
    return isShort ? fresh.replaceAll(/[^a-zA-Z0-9]/g, '').slice(-shortIdLength) : `call_${fresh}`;
  }
}

const shortIdLength = 9;
