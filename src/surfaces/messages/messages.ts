import { decodeMessagesRequest } from '../../dialects/messages/request/decode-request.ts';
import { MessagesStreamEncoder } from '../../dialects/messages/answer/encode-stream.ts';
import { encodeMessageBody } from '../../dialects/messages/answer/encode-body.ts';
import { encodeMessagesErrorFrame, pingFrame } from '../../dialects/messages/answer/message-frames.ts';
import type { Route } from '../../http/route.ts';
import { estimatedTokens } from '../../inference/tokens/estimated-tokens.ts';
import { promptText } from '../../inference/tokens/prompt-text.ts';
import { apiKeySecret } from '../caller.ts';
import { type AnswerHead, type ConversationFormat, converse, type SurfaceParts } from '../conversation.ts';
import { publicMessagesError } from './envelope.ts';
import { jsonValue } from '../exact-body.ts';
import { messagesSource } from './source.ts';

/** `POST {messages_prefix}/v1/messages`: one body or a stream, as `stream` asks. */
export function messages(parts: SurfaceParts, prefix: string): Route {
  return {
    method: 'POST',
    takesSimpleRequests: true,
    path: `${prefix}/v1/messages`,
    handle: (exchange) => converse(parts, messagesFormat, exchange),
  };
}

const messagesFormat: ConversationFormat = {
  surface: 'anthropic',
  keepAlive: pingFrame,
  secret: apiKeySecret,
  decode: (body, exchange) => decodeMessagesRequest(jsonValue(body), messagesSource(body, exchange)),
  repliesWithJson: (request) => !request.wantsStream,
  encoder: (head) => new MessagesStreamEncoder(messageEncoding(head)),
  encodeJson: (events, head) => encodeMessageBody(events, messageEncoding(head)),
  errorFrame: (error, requestId, supportEmail) =>
    encodeMessagesErrorFrame(publicMessagesError(error, requestId, supportEmail), requestId),
};

function messageEncoding({ id, answer, request, reportsCost }: AnswerHead) {
  return {
    id: `msg_${id}`,
    model: answer.model,
    reportsCost,
    /** Read only if the provider reports no prompt usage before its answer begins. */
    get promptTokens() {
      return estimatedTokens(promptText(request));
    },
  };
}
