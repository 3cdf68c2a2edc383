import { objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/** The signature of a tool call, in the field that providers and clients of this format use for it. */
export function decodeCallSignature(call: WireObject): string | undefined {
  return nonEmptyString(objectOf(objectOf(call.extra_content)?.google)?.thought_signature);
}

export function encodeCallSignature(signature: string | undefined) {
  return signature === undefined ? undefined : { extra_content: { google: { thought_signature: signature } } };
}
