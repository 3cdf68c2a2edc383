import { objectOf, type WireObject, wordOf } from '../wire-value.ts';

/** The signature of a call, where providers of this format put it and clients bring it back from. */
export function decodeCallSignature(call: WireObject): string | undefined {
  return wordOf(objectOf(objectOf(call.extra_content)?.google)?.thought_signature);
}

export function encodeCallSignature(signature: string | undefined) {
  return signature === undefined ? undefined : { extra_content: { google: { thought_signature: signature } } };
}
