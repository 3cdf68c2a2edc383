import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { type Message, textOf } from 'chat-formats/chat/message.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Upstream } from '../src/serving/upstreams/upstream.ts';

/** A request with one user message, in the form that the decoder returns. */
export function chatRequest(changes: Partial<ChatRequest> = {}): ChatRequest {
  const messages = changes.messages ?? [textMessage('user', 'Hello')];
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

/** A text message. */
export function textMessage(role: 'system' | 'user' | 'assistant', text: string): Message {
  return { role, content: [{ type: 'text', text }] };
}

export interface CollectedAnswer {
  readonly batches: (readonly StreamEvent[])[];
  readonly events: readonly StreamEvent[];
  readonly text: string;
  readonly reasoning: string;
  /** `refused`: no answer began. `failed`: the answer broke off. */
  readonly outcome: 'refused' | 'failed' | 'complete';
  readonly error: unknown;
}

/** Opens an answer and collects its events until it ends. */
export async function callUpstream(
  upstream: Upstream,
  model: string,
  request = chatRequest(),
  signal = new AbortController().signal,
): Promise<CollectedAnswer> {
  try {
    return await readAnswer(await upstream.open({ model, thinking: false, request, credential: 0 }, signal));
  } catch (error) {
    return collect([], 'refused', error);
  }
}

export function readAnswer(
  flow: EventFlow,
  onBatch: (batch: readonly StreamEvent[]) => void = () => {},
): Promise<CollectedAnswer> {
  return new Promise((resolve) => {
    const batches: (readonly StreamEvent[])[] = [];
    flow.start({
      events: (batch) => {
        batches.push(batch);
        onBatch(batch);
      },
      end: () => resolve(collect(batches, 'complete', undefined)),
      fail: (error) => resolve(collect(batches, 'failed', error)),
    });
  });
}

function collect(
  batches: (readonly StreamEvent[])[],
  outcome: CollectedAnswer['outcome'],
  error: unknown,
): CollectedAnswer {
  const events = batches.flat();
  const joined = (type: 'text-delta' | 'reasoning-delta'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  return { batches, events, text: joined('text-delta'), reasoning: joined('reasoning-delta'), outcome, error };
}
