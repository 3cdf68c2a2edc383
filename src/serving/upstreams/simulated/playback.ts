import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { type FlowSource, BufferedFlow } from '../answer/buffered-flow.ts';

export class Playback implements FlowSource {
  readonly flow = new BufferedFlow(this);
  readonly #events: Iterator<StreamEvent>;
  readonly #delayMs: number;
  readonly #signal: AbortSignal;
  #cancelStep: (() => void) | undefined;

  constructor(events: Iterator<StreamEvent>, delayMs: number, signal: AbortSignal) {
    this.#events = events;
    this.#delayMs = delayMs;
    this.#signal = signal;
    signal.addEventListener('abort', this.#aborted);
    this.resume();
  }

  pause(): void {
    this.#cancelStep?.();
    this.#cancelStep = undefined;
  }

  resume(): void {
    if (this.#cancelStep) return;
    if (this.#delayMs > 0) {
      const timer = setTimeout(this.#step, this.#delayMs);
      this.#cancelStep = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(this.#step);
      this.#cancelStep = () => clearImmediate(immediate);
    }
  }

  cancel(): void {
    this.pause();
    this.#signal.removeEventListener('abort', this.#aborted);
  }

  readonly #aborted = (): void => {
    this.cancel();
    this.flow.fail(this.#signal.reason);
  };

  readonly #step = (): void => {
    this.#cancelStep = undefined;
    try {
      const next = this.#events.next();
      if (next.done) {
        this.cancel();
        return this.flow.end();
      }
      this.resume();
      this.flow.deliver([next.value]);
    } catch (error) {
      this.cancel();
      this.flow.fail(error);
    }
  };
}
