import type { ContextOverflow } from 'chat-formats/gateway-error.ts';
import { objectOf, parsedJson, nonEmptyString } from 'chat-formats/wire-value.ts';

/** `undefined` if a refusal has another reason. Reads only numbers, and only if they are plausible together. */
export function contextOverflow(status: number | undefined, refusalText: string): ContextOverflow | undefined {
  if (status !== undefined && !statuses.has(status)) return undefined;
  const text = refusalText.slice(0, charactersMax);
  const words = wordsIn(text);
  if (otherLimits.test(words) || !overflowPatterns.some((pattern) => pattern.test(words))) return undefined;
  const figures = text.replaceAll(/(?<=\d),(?=\d{3})/g, '');
  const tokensMax = firstFigure(figures, limits);
  const promptTokens = sumIn(figures) ?? firstFigure(figures, lengths);
  const isPlausible = promptTokens !== undefined && promptTokens > (tokensMax ?? 0);
  return { promptTokens: isPlausible ? promptTokens : undefined, tokensMax };
}

/** Some servers fail with 500 on such a prompt. Inside a stream there is no status. */
const statuses: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** A refusal is a sentence or two. A longer text repeats the request. */
const charactersMax = 4096;

/** Returns the message and the code of an error, without the parts of the request that a provider repeats. */
function wordsIn(text: string): string {
  const body = parsedJson(text);
  const outer = objectOf(Array.isArray(body) ? body[0] : body);
  if (!outer) return text;
  const error = objectOf(outer['error']) ?? outer;
  const words = [error['code'], error['type'], error['message'], outer['error'], outer['message'], outer['detail']];
  return words.flatMap((word) => nonEmptyString(word) ?? []).join(' ') || text;
}

/** Other limits: a shorter prompt would not help. */
const otherLimits = /per (minute|hour|day)|rate.?limit|max_(completion_)?tokens['`"]? is too large/i;

const overflowPatterns: readonly RegExp[] = [
  /context_length_exceeded|context_?window_?exceeded|exceed_context_size|(prompt|input)_too_long/i,
  /(prompt|input|request|conversation)( is|s are)? too (long|large)\b/i,
  /maximum (context|prompt|model|input) length/i,
  /(exceed\w*|longer than|larger than|too (long|large) for) [^.]{0,80}(context|token limit|number of tokens|model length)/i,
  /context (length|window|size|limit)[^.]{0,60}exceed/i,
  /exceeds? (the )?max(imum)? (prompt |input |context )?length/i,
  /inputs?`? (tokens? |length )?(exceed|must have less than)|tokens \+ `?max_new_tokens`? must be/i,
  /input token count [^.]{0,40}exceeds/i,
  /range of input length should be/i,
  /too many (input )?tokens:/i,
  /reduce the length of (the|your) (messages|prompt|input)/i,
  /context the overflows/i,
];

const limits: readonly RegExp[] = [
  />\s*(\d+)/,
  /maximum (?:context|prompt|model|input) length(?: is| of|:)? (\d+)/i,
  /(\d+) maximum context/i,
  /context (?:length|size|window|limit)(?: of(?: only)?| is)?[ :(]+(\d+)/i,
  /allowed \((\d+)\)/i,
  /(?:token limit|limit for this model is|cannot exceed|must have less than|must be <=):? (\d+)/i,
  /should be \[\d+, ?(\d+)\]/i,
  /"n_ctx": ?(\d+)/,
];

const lengths: readonly RegExp[] = [
  /(\d+)(?: tokens)?\s*>/i,
  /requested (?:about |a total of )?(\d+) tokens/i,
  /(?:has|contains|resulted in) (\d+) (?:input )?tokens/i,
  /input \((\d+) tokens/i,
  /token count (?:\(|of )?(\d+)/i,
  /(?:received|given:|too long:) (\d+)/i,
  /\(length (\d+)\)/i,
  /keep the first (\d+) tokens/i,
  /"n_prompt_tokens": ?(\d+)/,
];

function firstFigure(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const figure = pattern.exec(text)?.[1];
    if (figure !== undefined) return plausible(Number(figure));
  }
  return undefined;
}

/** Prompt and answer together, for providers that count both. */
function sumIn(text: string): number | undefined {
  const [, prompt, answer] = /(\d+) \+ (\d+) >/.exec(text) ?? [];
  return prompt === undefined ? undefined : plausible(Number(prompt) + Number(answer));
}

function plausible(tokens: number): number | undefined {
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
