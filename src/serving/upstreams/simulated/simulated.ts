import { isOfOtherFormat } from 'chat-formats/chat/chat-request.ts';
import { chatTemperatureMax } from 'chat-formats/chat-completions/request/encode-request.ts';
import { translate } from 'chat-formats/translate.ts';
import type { Upstream } from '../upstream.ts';
import { passThroughAnswer } from './pass-through.ts';
import { Playback } from './playback.ts';
import { scriptFor } from './script.ts';

const defaultTokenDelayMs = 8;

/** Answers in this process, always the same. By the model's name: `think` reasons first, `tools` calls tools. */
export function simulated(options: {
  readonly name: string;
  readonly newId: () => string;
  readonly tokenDelayMs?: number | undefined;
}): Upstream {
  const { name, newId, tokenDelayMs = defaultTokenDelayMs } = options;
  return {
    name,
    credentials: 1,
    keeps: { stopMax: Number.POSITIVE_INFINITY, maxTokens: true, strict: true, toolChoice: true, json: 'schema' },
    async open(call, signal) {
      signal.throwIfAborted();
      // It has the features of the chat-completions format.
      const { request, untranslatable } = call;
      const rules = { untranslatable, temperatureMax: chatTemperatureMax, hasLogprobs: true };
      if (isOfOtherFormat(request)) translate(request, rules);
      return new Playback(scriptFor(call, newId), tokenDelayMs, signal).flow;
    },
    async pass({ request, model, sent }, signal) {
      signal.throwIfAborted();
      sent?.();
      return passThroughAnswer(request, model);
    },
    close: () => {},
  };
}
