import { decodeCompletionRequest } from '../dialects/completions/decode-request.ts';
import { completionStreamEncoder, encodeCompletionBody } from '../dialects/completions/encode-stream.ts';
import type { Route } from '../http/route.ts';
import { answerEncoding, chatFormat } from './chat-completions.ts';
import { jsonValue } from './exact-body.ts';
import { type ConversationFormat, converse, type SurfaceParts } from './conversation.ts';

/** `POST /v1/completions`: the legacy endpoint. Streams like the chat endpoint. */
export function completions(parts: SurfaceParts): Route {
  return {
    method: 'POST',
    takesSimpleRequests: true,
    path: '/v1/completions',
    handle: (exchange) => converse(parts, format, exchange),
  };
}

const format: ConversationFormat = {
  ...chatFormat,
  decode: (body) => decodeCompletionRequest(jsonValue(body), body.bytes, body.value),
  encoder: (head) => completionStreamEncoder(answerEncoding('cmpl', head)),
  encodeJson: (events, head) => JSON.stringify(encodeCompletionBody(events, answerEncoding('cmpl', head))),
};
