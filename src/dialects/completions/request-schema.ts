import { z } from 'zod';
import { requestFields } from '../chat-completions/request/request-fields.ts';
import { booleanField, integerBetween, must, stringField } from '../field-rules.ts';
import { listSchema } from '../list-schema.ts';

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

export type WireCompletionRequest = z.output<typeof completionRequestSchema>;
