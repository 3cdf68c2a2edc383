import { decodeChatRequest } from 'chat-formats/chat-completions/request/decode-request.ts';
import { chatStreamEncoder, encodeErrorFrame } from 'chat-formats/chat-completions/answer/encode-stream.ts';
import { encodeChatBody } from 'chat-formats/chat-completions/answer/encode-body.ts';
import type { Route } from '../http/route.ts';
import {
  type AnswerHead,
  type ChatFastPath,
  type ConversationFormat,
  converse,
  type SurfaceParts,
} from './conversation.ts';
import { bearerSecret } from './caller.ts';
import { jsonValue } from './exact-body.ts';
import { publicError } from './envelope.ts';
import { decodeCompletionRequest } from 'chat-formats/chat-completions/request/decode-completion-request.ts';
import { completionStreamEncoder, encodeCompletionBody } from 'chat-formats/completions/encode-stream.ts';

/** `POST /v1/chat/completions`. Streams regardless of `stream`, unless the site or key honours it. */
export function chatCompletions(parts: SurfaceParts, fastPath: ChatFastPath | undefined): Route {
  return {
    method: 'POST',
    takesSimpleRequests: true,
    path: '/v1/chat/completions',
    handle: (exchange) => (fastPath?.tryServe(exchange) ? undefined : converse(parts, chatFormat, exchange)),
  };
}

/** A comment, because clients of the format do not count events. */
export const chatKeepAlive = ': keep-alive\n\n';

export const chatFormat: ConversationFormat = {
  surface: 'openai',
  keepAlive: chatKeepAlive,
  secret: bearerSecret,
  decode: (body) => decodeChatRequest(jsonValue(body), body.bytes, body.value),
  repliesWithJson: (request, { honoursStreamFalse }) => honoursStreamFalse && !request.wantsStream,
  encoder: (head) => chatStreamEncoder(answerEncoding('chatcmpl', head)),
  encodeJson: (events, head) => JSON.stringify(encodeChatBody(events, answerEncoding('chatcmpl', head))),
  errorFrame: chatErrorFrame,
};

export function chatErrorFrame(error: unknown, requestId: string, supportEmail: string | undefined): string {
  return encodeErrorFrame(publicError(error, requestId, supportEmail));
}

function answerEncoding(idPrefix: string, { id, created, answer, request }: AnswerHead) {
  return {
    id: `${idPrefix}-${id}`,
    created,
    model: answer.model,
    logprobs: request.logprobs,
    usageSource: answer.upstream,
  };
}

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
