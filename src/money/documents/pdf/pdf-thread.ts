import type { Clock } from '../../../core/time/clock.ts';
import { FairThread, type FairThreadLimits, workThread } from '../../../core/fair-thread.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { BillingDocument } from '../billing-document.ts';
import type { Language } from 'chat-formats/reasons/text.ts';

export interface PdfWork {
  readonly document: BillingDocument;
  readonly language: Language;
}

export type PdfAnswer = { readonly pdf: Uint8Array } | { readonly failed: string };

/** The size of each document is 1. Rendering takes less than a second, and more on a busy machine. */
const limits: FairThreadLimits = {
  timeoutMs: 60_000,
  startMaxMs: 300_000,
  workMaxMs: () => 30_000,
  waitingMax: 200,
  partyMax: 20,
};
const memory = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 192 };
/** Without work for this long, the thread ends, and its memory is free again. */
const idleMs = 60_000;

/**
 * Renders documents in a worker thread that starts with the first one and ends when none was rendered for a minute.
 * Accounts take turns. Fonts would otherwise block the event loop, and the packages would stay in memory.
 */
export class PdfThread {
  readonly #clock: Clock;
  readonly #thread: FairThread<PdfWork, PdfAnswer>;
  #running = 0;
  #renders = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#thread = new FairThread(clock, limits, (events) =>
      workThread(new URL(`./pdf-worker${import.meta.url.slice(-3)}`, import.meta.url), memory, events),
    );
  }

  async render(document: BillingDocument, language: Language): Promise<Buffer> {
    this.#running += 1;
    this.#renders += 1;
    const outcome = await this.#thread.run(
      { document, language },
      1,
      document.accountId ?? document.organisationId ?? '',
    );
    this.#running -= 1;
    this.#stopWhenIdle(this.#renders);
    if (outcome === 'stuck' || outcome === 'unheard') throw new GatewayError('overloaded');
    if ('failed' in outcome.result) throw new Error(`a document could not be rendered: ${outcome.result.failed}`);
    return Buffer.from(outcome.result.pdf);
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }

  #stopWhenIdle(renders: number): void {
    const isIdle = (): boolean => this.#running === 0 && this.#renders === renders;
    this.#clock.after(idleMs, () => (isIdle() ? void this.stop() : undefined)).unref();
  }
}
