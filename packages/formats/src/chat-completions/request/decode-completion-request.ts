import type { ChatRequest } from '../../chat/chat-request.ts';
import { decodeRequestFields, requestFields } from './request-fields.ts';
import { validated } from '../../invalid-request.ts';
import { decodePriceOptions } from '../../priced-fields.ts';
import { spendingOf } from '../../spending.ts';
import type { WireObject } from '../../wire-value.ts';
import { z } from 'zod';
import { booleanField, integerBetween, must, stringField, listSchema } from '../../field-rules.ts';

const promptsMax = 128;
const promptRule = must(`be a string, a list of 1 to ${promptsMax} strings, or token ids`);
const forms = { isOneForm: true };
const severalForms = { ...forms, lengthMax: promptsMax };

const tokenIds = listSchema(z.int().min(0), promptRule, forms).min(1);

const prompt = z.union(
  [
    z.string(),
    listSchema(z.string(), promptRule, severalForms).min(1),
    tokenIds,
    listSchema(tokenIds, promptRule, severalForms).min(1),
  ],
  promptRule,
);

/** The body of POST /v1/completions. Fields that the contract does not list are allowed and kept. */
export const completionRequestSchema = z.looseObject(
  {
    ...requestFields,
    prompt: prompt.describe('The text to continue: one or several prompts, as text or as token ids.'),
    suffix: stringField.nullish().describe('The text after the gap, for models that can fill in the middle.'),
    echo: booleanField.nullish().describe('Repeat the prompt before the answer.'),
    best_of: integerBetween(1, 128).nullish().describe('How many answers to generate and choose from.'),
    logprobs: integerBetween(0, 20)
      .nullish()
      .describe('Fills `choices[].logprobs`, with this many alternatives for each token.'),
  },
  must('be a JSON object'),
);

type WireCompletionRequest = z.output<typeof completionRequestSchema>;

/** Reads a parsed body, or throws `invalid-request` naming the fields and rules. Keeps the body by reference. */
export function decodeCompletionRequest(value: unknown, bytes: number, forwarded: unknown = value): ChatRequest {
  const wire = validated(completionRequestSchema, value, forwarded);
  const body = forwarded as WireObject;
  return {
    ...decodeRequestFields(wire),
    messages: [{ role: 'user', content: [{ type: 'text', text: promptText(wire.prompt) }] }],
    tools: [],
    toolChoice: undefined,
    parallelToolCalls: undefined,
    answerFormat: undefined,
    maxTokens: wire.max_tokens ?? undefined,
    choices: Math.max(wire.n ?? 1, wire.best_of ?? 1) * promptCount(wire.prompt),
    logprobs: typeof wire.logprobs === 'number',
    topLogprobs: wire.logprobs ?? undefined,
    hasUnsizedContent: false,
    priceOptions: decodePriceOptions(body),
    spending: spendingOf('chat-completions', body),
    wire: { format: 'completions', body, bytes },
  };
}

type Prompt = WireCompletionRequest['prompt'];

/** Token ids count as no text, because only the provider can decode them. */
function promptText(prompt: Prompt): string {
  const prompts = typeof prompt === 'string' ? [prompt] : prompt;
  return prompts.filter((one) => typeof one === 'string').join('\n');
}

function promptCount(prompt: Prompt): number {
  const isOne = typeof prompt === 'string' || typeof prompt[0] === 'number';
  return isOne ? 1 : prompt.length;
}
