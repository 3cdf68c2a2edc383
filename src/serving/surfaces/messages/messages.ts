import {
  decodeCountTokensRequest,
  decodeMessagesRequest,
  type MessagesSource,
} from 'chat-formats/messages/request/decode-request.ts';
import { MessagesStreamEncoder } from 'chat-formats/messages/answer/encode-stream.ts';
import { encodeMessageBody } from 'chat-formats/messages/answer/encode-body.ts';
import { encodeMessagesErrorFrame, pingFrame } from 'chat-formats/messages/answer/message-frames.ts';
import type { Route } from '../../http/route.ts';
import { estimatedTokens } from '../../inference/tokens/estimated-tokens.ts';
import { promptText } from '../../inference/tokens/prompt-text.ts';
import { apiKeySecret, callerOf } from '../caller.ts';
import { type AnswerHead, type ConversationFormat, converse, type SurfaceParts } from '../conversation.ts';
import { publicMessagesError } from './envelope.ts';
import { jsonValue } from '../exact-body.ts';
import { withoutIgnored } from '../ignored-fields.ts';
import { countPrompt } from '../../inference/tokens/count-prompt.ts';
import type { Exchange, JsonBody } from '../../http/exchange.ts';

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

/** `POST {messages_prefix}/v1/messages/count_tokens`: counts the tokens of a prompt, free of charge. */
export function countTokens(parts: SurfaceParts, prefix: string): Route {
  return {
    method: 'POST',
    path: `${prefix}/v1/messages/count_tokens`,
    handle: async (exchange) => {
      const caller = await callerOf(parts, exchange, apiKeySecret);
      const { ignored } = parts.inference.current().catalog.rulesOf(caller.site);
      const body = withoutIgnored(await exchange.readJson(), ignored);
      const request = decodeCountTokensRequest(jsonValue(body), messagesSource(body, exchange));
      const input = { caller, surface: 'anthropic' as const, request, signal: exchange.gone };
      exchange.json(200, { input_tokens: await countPrompt(parts.inference, input) });
    },
  };
}

/** Headers of the format. A provider of the same format receives them unchanged. */
const formatHeaders = ['anthropic-version', 'anthropic-beta'];

/** The data that a provider of the same format needs in addition to the parsed body. */
function messagesSource({ value, text, bytes }: JsonBody, exchange: Exchange): MessagesSource {
  const headers = formatHeaders.flatMap((name) => {
    const value = exchange.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { body: value, text, bytes, headers: Object.fromEntries(headers) };
}
