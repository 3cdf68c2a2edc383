import type { ChatRequest } from '../src/core/chat-request.ts';
import type { EventFlow } from '../src/core/event-flow.ts';
import { type Message, textOf } from '../src/core/message.ts';
import type { StreamEvent } from '../src/core/stream-event.ts';
import type { Upstream } from '../src/upstreams/upstream.ts';

/** A request of one user message, as the decoder would have made it. */
export function chatRequest(changes: Partial<ChatRequest> = {}): ChatRequest {
  const messages = changes.messages ?? [said('user', 'Hello')];
  const body = { model: 'alias', messages: messages.map(({ role, content }) => ({ role, content: textOf(content) })) };
  return {
    model: 'alias',
    messages,
    tools: [],
    toolChoice: undefined,
    parallelToolCalls: undefined,
    maxTokens: undefined,
    choices: 1,
    stop: [],
    temperature: undefined,
    topP: undefined,
    topK: undefined,
    answerFormat: undefined,
    thinking: undefined,
    thinkingBudget: undefined,
    effort: undefined,
    userId: undefined,
    logprobs: false,
    topLogprobs: undefined,
    wantsStream: true,
    providerTools: [],
    hasUnsizedContent: false,
    wire: { format: 'chat-completions', body, bytes: JSON.stringify(body).length },
    ...changes,
  };
}

/** A message of plain words. */
export function said(role: 'system' | 'user' | 'assistant', text: string): Message {
  return { role, content: [{ type: 'text', text }] };
}

export interface Heard {
  readonly batches: (readonly StreamEvent[])[];
  readonly events: readonly StreamEvent[];
  readonly text: string;
  readonly reasoning: string;
  /** How it ended: refused before there was an answer, failed during it, or complete. */
  readonly outcome: 'refused' | 'failed' | 'complete';
  readonly error: unknown;
}

/** Opens an answer and listens to it until it is over. */
export async function ask(
  upstream: Upstream,
  model: string,
  request = chatRequest(),
  signal = new AbortController().signal,
): Promise<Heard> {
  try {
    return await listen(await upstream.open({ model, thinking: false, request, credential: 0 }, signal));
  } catch (error) {
    return heard([], 'refused', error);
  }
}

export function listen(flow: EventFlow, onBatch: (batch: readonly StreamEvent[]) => void = () => {}): Promise<Heard> {
  return new Promise((resolve) => {
    const batches: (readonly StreamEvent[])[] = [];
    flow.start({
      events: (batch) => {
        batches.push(batch);
        onBatch(batch);
      },
      end: () => resolve(heard(batches, 'complete', undefined)),
      fail: (error) => resolve(heard(batches, 'failed', error)),
    });
  });
}

function heard(batches: (readonly StreamEvent[])[], outcome: Heard['outcome'], error: unknown): Heard {
  const events = batches.flat();
  const said = (type: 'text-delta' | 'reasoning-delta'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  return { batches, events, text: said('text-delta'), reasoning: said('reasoning-delta'), outcome, error };
}
