import { bodyFields } from '../chat-completions/request/body-fields.ts';
import { chatHints, unsupportedOutputs } from '../chat-completions/request/unsupported-fields.ts';
import { fieldsOutside } from '../fields-outside.ts';
import type { FieldPath } from '../invalid-request.ts';
import { samplingHints } from '../sampling-hints.ts';
import type { WireObject } from '../wire-value.ts';
import { rejectLegacyFields } from './encode-as-chat.ts';
import { completionRequestSchema } from './request-schema.ts';

const known = new Set([...Object.keys(completionRequestSchema.shape), 'logit_bias', 'reasoning', 'top_k']);

/**
 * The paths of the fields of a legacy body that no other format supports. Throws for a prompt that cannot become a
 * message.
 */
export function* unsupportedInPrompt(body: WireObject): Generator<FieldPath> {
  rejectLegacyFields(bodyFields(body, completionRequestSchema.shape));
  yield* fieldsOutside(body, [known, chatHints, samplingHints]);
  yield* unsupportedOutputs(body);
}
