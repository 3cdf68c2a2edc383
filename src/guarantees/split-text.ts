import type { StreamEvent } from '../core/chat/stream-event.ts';

export type TextDelta = Extract<StreamEvent, { type: 'text-delta' }>;

/** Splits deltas after `length` characters. A token's logprob record stays with the token's first character. */
export function splitText(
  pieces: readonly TextDelta[],
  length: number,
): { readonly before: readonly TextDelta[]; readonly after: readonly TextDelta[] } {
  const before: TextDelta[] = [];
  const after: TextDelta[] = [];
  let left = length;
  for (const piece of pieces) {
    const size = piece.text.length;
    if (after.length === 0 && size <= left) before.push(piece);
    else if (left === 0) after.push(piece);
    else {
      const [head, tail] = halves(piece, left);
      before.push(head);
      after.push(tail);
    }
    left = Math.max(0, left - size);
  }
  return { before, after };
}

function halves(piece: TextDelta, length: number): readonly [TextDelta, TextDelta] {
  const { text, logprobs, ...rest } = piece;
  const [head, tail] = [text.slice(0, length), text.slice(length)];
  if (!logprobs)
    return [
      { ...rest, text: head },
      { ...rest, text: tail },
    ];
  let at = 0;
  const first = logprobs.findIndex(({ token }) => {
    const begins = at;
    at += token.length;
    return begins >= length;
  });
  const cut = first === -1 ? logprobs.length : first;
  return [
    { ...rest, text: head, logprobs: logprobs.slice(0, cut) },
    { ...rest, text: tail, logprobs: logprobs.slice(cut) },
  ];
}
