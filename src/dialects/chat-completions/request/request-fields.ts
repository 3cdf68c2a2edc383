import { z } from 'zod';
import { between, booleanField, integerBetween, must, objectField, stringField } from '../../field-rules.ts';
import { listSchema } from '../../list-schema.ts';

const stopMax = 16;
const stopRule = must(`be a string or a list of up to ${stopMax} strings`);

/** Fields that have the same meaning on the chat and legacy completions endpoints. Each of them may be `null`. */
export const requestFields = {
  model: stringField.describe('A model id or alias from GET /v1/models.'),
  max_tokens: integerBetween(1, 2 ** 31 - 1)
    .nullish()
    .describe('Hard cap on generated tokens.'),
  temperature: between(0, 2)
    .nullish()
    .describe('Sampling temperature, 0 to 2, default 1. Adjust this or `top_p`, not both.'),
  top_p: between(0, 1).nullish().describe('Nucleus-sampling threshold, 0 to 1, default 1.'),
  stop: z
    .union([z.string(), listSchema(stringField, stopRule, { lengthMax: stopMax })], stopRule)
    .nullish()
    .describe('Up to 16 sequences. Generation stops when one is produced; it is not part of the output.'),
  stream: booleanField
    .nullish()
    .describe('Accepted without effect: the answer is always a stream. Sending `true` is recommended.'),
  stream_options: objectField({ include_usage: booleanField.nullish() })
    .nullish()
    .describe(
      'Meaningful only with `stream: true`. The last chunk has the usage, whatever the value of `include_usage`.',
    ),
  n: integerBetween(1, 128).nullish().describe('How many answers to produce, default 1.'),
  user_id: stringField
    .max(512, 'must be at most 512 characters long')
    .regex(/^[A-Za-z0-9_-]*$/, 'must consist of letters, digits, _ and -')
    .nullish()
    .describe('Opaque label of the end user, for attribution and abuse detection. No personal data.'),
  thinking: objectField({ type: z.enum(['enabled', 'disabled'], must('be enabled or disabled')).nullish() })
    .nullish()
    .describe('Whether the model reasons before it answers. Default `enabled`. Not all models support it.'),
  reasoning_effort: z
    .enum(
      ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      must('be none, minimal, low, medium, high, xhigh or max'),
    )
    .nullish()
    .describe(
      'Default `high`. `minimal`, `low` and `medium` are read as `high`, `xhigh` as `max`; `none` disables thinking.',
    ),
  frequency_penalty: z.unknown().optional().describe('Accepted and ignored.'),
  presence_penalty: z.unknown().optional().describe('Accepted and ignored.'),
};
