import { type CacheLifetime, requestedLifetime } from 'chat-formats/cache-lifetime.ts';
import type { WireFormat } from 'chat-formats/chat/chat-request.ts';
import type { AnsweredAs } from 'chat-formats/chat/event-flow.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { EventStreamDecoder } from 'chat-formats/event-stream-decoder.ts';
import { MarkupStage, withMarkup } from 'chat-formats/chat-completions/answer/markup-stage.ts';
import type { AnswerParts } from '../answer/answer.ts';
import type { CallParts } from '../answer/refused-response.ts';
import type { HttpPool } from '../http1/pool.ts';
import type { ProviderAddress } from '../provider-link.ts';
import type { UpstreamCall } from '../upstream.ts';
import { markupFor, type MarkupRequest } from 'chat-formats/markup/markup-request.ts';

export interface Service {
  readonly address: ProviderAddress;
  readonly pool: HttpPool;
  answers(call: UpstreamCall): AnswerParts;
  encode(call: UpstreamCall): string;
}

export function markupOfCall(call: UpstreamCall): MarkupRequest {
  const { model, thinking, toolFormat, thinksFirst, repairArguments = false } = call;
  return markupFor(call.request, { model, thinking, toolFormat, thinksFirst, repairArguments });
}

interface FormatDecoders {
  readonly format: WireFormat;
  readonly newId: () => string;
  /** Whether the client has the format of the provider, and receives the answer unchanged: the stream or the body. */
  readonly isVerbatim: boolean;
  readonly streamDecoder: (decoding: FormatDecoding) => EventStreamDecoder;
  readonly decodeBody: (text: string, decoding: FormatDecoding) => readonly StreamEvent[];
}

interface FormatDecoding {
  readonly newId: () => string;
  readonly isVerbatim: boolean;
  readonly answeredAs: AnsweredAs | undefined;
  readonly unsplit: () => CacheLifetime;
}

export function formatAnswers(call: UpstreamCall, answers: CallParts, format: FormatDecoders): AnswerParts {
  const { newId, isVerbatim, streamDecoder, decodeBody } = format;
  const { wire } = call.request;
  const unsplit = () => requestedLifetime(wire, format.format);
  const isJsonReply = isVerbatim && !call.request.wantsStream;
  const { timeouts } = answers;
  const answeredAs = call.trace?.answeredAs;
  const inStream = { newId, isVerbatim: isVerbatim && !isJsonReply, answeredAs, unsplit };
  const inBody = { newId, isVerbatim: isJsonReply, answeredAs, unsplit };
  const markup = markupOfCall(call);
  return {
    ...answers,
    // The first event of a whole answer comes after its last token, so the total timeout applies.
    ...(isJsonReply && { timeouts: { ...timeouts, firstEvent: timeouts.total } }),
    streamDecoder: () => withMarkup(streamDecoder(inStream), { ...inStream, markup }),
    decodeBody: (text) => new MarkupStage({ ...inBody, markup }).push(decodeBody(text, inBody)),
  };
}
