import type { ChatRequest } from '../../core/chat/chat-request.ts';
import type { Upstream } from '../upstream.ts';

/** Requests one token from a model and then closes the call. Rejects as the upstream does. */
export async function askOneToken(upstream: Upstream, model: string, signal: AbortSignal): Promise<void> {
  const flow = await upstream.open({ model, thinking: false, maxOutputTokens: 1, request, credential: 0 }, signal);
  await new Promise<void>((resolve, reject) => {
    flow.start({
      events: () => {
        flow.cancel();
        resolve();
      },
      end: resolve,
      fail: reject,
    });
  });
}

const body = { model: 'any', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1, stream: true };

const request: ChatRequest = {
  model: body.model,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  tools: [],
  toolChoice: undefined,
  parallelToolCalls: undefined,
  maxTokens: 1,
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
};
