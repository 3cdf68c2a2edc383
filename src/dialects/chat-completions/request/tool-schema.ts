import { z } from 'zod';
import { must } from '../../field-rules.ts';

/** One element of `tools`. */
export const toolSchema = z.looseObject(
  {
    type: z.literal('function', must('be function')),
    function: z.looseObject(
      {
        name: z
          .string(must('be a string'))
          .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
          .describe('Letters, digits, `_` and `-`; at most 64 characters.'),
        description: z
          .string(must('be a string'))
          .nullish()
          .describe('Helps the model decide when to call the function.'),
        parameters: z
          .looseObject({}, must('be an object'))
          .nullish()
          .describe('JSON Schema of the arguments. Left out for a function without arguments.'),
        strict: z
          .boolean(must('be a boolean'))
          .nullish()
          .describe('Enforces the schema on the arguments. Default false. Beta.'),
      },
      must('be an object'),
    ),
  },
  must('be an object'),
);

/** Which function the model may or must call. The request decoder checks that the named function is in `tools`. */
export const toolChoiceSchema = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  ],
  must('be none, auto, required or an object that names a function'),
);

export type WireTool = z.output<typeof toolSchema>;
export type WireToolChoice = z.output<typeof toolChoiceSchema>;
