import { bodyFields } from '../chat-completions/body-fields.ts';
import { chatHints, untranslatableAnswers } from '../chat-completions/untranslatable-fields.ts';
import { fieldsOutside } from '../fields-outside.ts';
import type { FieldPath } from '../invalid-request.ts';
import { samplingHints } from '../sampling-hints.ts';
import type { WireObject } from '../wire-value.ts';
import { refuseWhatChatCannot } from './encode-as-chat.ts';
import { completionRequestSchema } from './request-schema.ts';

const known = new Set([...Object.keys(completionRequestSchema.shape), 'logit_bias', 'reasoning', 'top_k']);

/** Where a legacy body asks for what no other format can be told. A prompt that cannot become a message is refused. */
export function* untranslatableInPrompt(body: WireObject): Generator<FieldPath> {
  refuseWhatChatCannot(bodyFields(body, completionRequestSchema.shape));
  yield* fieldsOutside(body, [known, chatHints, samplingHints]);
  yield* untranslatableAnswers(body);
}
