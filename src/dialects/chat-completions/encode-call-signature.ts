/** Where clients of this format know a signature of a call to stand, and bring it back from. */
export function encodeCallSignature(signature: string | undefined) {
  return signature === undefined ? undefined : { extra_content: { google: { thought_signature: signature } } };
}
