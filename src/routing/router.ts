import type { ChatRequest } from '../core/chat-request.ts';
import type { Clock } from '../core/clock.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { Model, Route } from '../core/model.ts';
import { type Attempt, tryAt } from './attempt.ts';
import { canContinue, ContinuedFlow } from './continued-flow.ts';
import type { Beginning } from './continued-usage.ts';
import { conversationOf } from './conversation.ts';
import type { Visitor } from './fair-queue/visitor.ts';
import { Journey, type Stand, type VainWait } from './journey.ts';
import type { Lane, Option } from './options.ts';
import type { RetryBudget } from './retry-budget.ts';

/** An answer that has begun, and how it was reached. */
export interface Opened {
  readonly flow: EventFlow;
  readonly route: Route;
}

export interface RouterOptions {
  readonly clock: Clock;
  readonly waitMaxMs: () => number;
  readonly random: () => number;
  readonly budget: RetryBudget;
}

export interface RouterParts extends RouterOptions {
  readonly lane: (name: string) => Lane | undefined;
}

/** What routing knows of a request besides what it asks. */
export interface Trip {
  readonly signal: AbortSignal;
  /** When waiting has to end, on the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  readonly visitor: Visitor;
  /** Hears of every call of an upstream when it has begun to answer or failed to. */
  attempted(attempt: Attempt): void;
  /** Hears of a wait that ended without a place. */
  gaveUp(wait: VainWait): void;
  /** Told when the request begins to wait for a turn, and when that is over. May abort the signal. */
  waits(isWaiting: boolean): void;
  /** How many tokens a text is, as far as that can be known without its provider. */
  readonly countTokens: (text: string) => Promise<number>;
}

/**
 * The request's way down: waits for a place, asks, and goes on to the next upstream until one has produced content.
 * From then on the answer has begun and nothing is retried; only where the model allows it, another upstream goes on
 * with an answer that breaks off.
 */
export async function openFirst(parts: RouterParts, model: Model, request: ChatRequest, trip: Trip): Promise<Opened> {
  const { accountId } = trip.visitor;
  const journey = new Journey(parts, model, trip, () => conversationOf(request.wire, { accountId, model: model.id }));
  const { thinking, maxOutputTokens, toolFormat, thinksFirst, repairArguments } = model;
  const call = { thinking, maxOutputTokens, toolFormat, thinksFirst, repairArguments, request };

  async function reach(first: Stand, asked: typeof call & { readonly prefill?: string }): Promise<Reached> {
    for (let stand = first; ; ) {
      const { flow, error } = await tryAt(stand, asked, parts.clock, trip);
      if (flow) return { flow, option: stand.option };
      stand = await journey.goOn(stand, error);
    }
  }

  try {
    const { flow, option } = await reach(await journey.enter(), call);
    if (!canContinue(model, request)) return { flow, route: option.route };
    const { countTokens, signal } = trip;
    const goOn = async (from: Option, error: unknown, { text, tokens }: Beginning): Promise<Reached> => {
      const cap = request.maxTokens;
      const maxTokens = cap === undefined ? undefined : Math.max(1, cap - tokens);
      const asked = { ...call, request: { ...request, maxTokens }, prefill: text };
      const reached = journey.startOver(from, error).then((stand) => reach(stand, asked));
      return reached.finally(() => journey.rest());
    };
    return { flow: new ContinuedFlow({ flow, option }, { goOn, countTokens, signal }), route: option.route };
  } finally {
    journey.rest();
  }
}

/** An answer that has begun, and where. */
export interface Reached {
  readonly flow: EventFlow;
  readonly option: Option;
}
