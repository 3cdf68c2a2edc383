import { type MarkupRequest, markupFor } from '../../dialects/markup/markup-request.ts';
import type { UpstreamCall } from '../upstream.ts';

/** Returns the markup to look for in the answer to a call. */
export function markupOfCall(call: UpstreamCall): MarkupRequest {
  const { model, thinking, toolFormat, thinksFirst, repairArguments = false } = call;
  return markupFor(call.request, { model, thinking, toolFormat, thinksFirst, repairArguments });
}
