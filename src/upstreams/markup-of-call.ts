import { type AskedMarkup, askedMarkup } from '../dialects/markup/asked-markup.ts';
import type { UpstreamCall } from './upstream.ts';

/** What markup to look for in the answer to a call. */
export function markupOfCall(call: UpstreamCall): AskedMarkup {
  const { model, thinking, toolFormat, thinksFirst, repairArguments = false } = call;
  return askedMarkup(call.request, { model, thinking, toolFormat, thinksFirst, repairArguments });
}
