// The entry of the published package. Programs of this repository import the modules by their paths.
export type { ChatRequest } from './chat/chat-request.ts';
export type { StreamEvent } from './chat/stream-event.ts';
export type { Usage } from './chat/usage.ts';
export { GatewayError } from './gateway-error.ts';
export { parseForeign } from './json/foreign-json.ts';

export { decodeChatRequest } from './chat-completions/request/decode-request.ts';
export { encodeChatRequest } from './chat-completions/request/encode-request.ts';
export { decodeCompletionRequest } from './chat-completions/request/decode-completion-request.ts';
export { decodeMessagesRequest } from './messages/request/decode-request.ts';
export { encodeMessagesRequest } from './messages/request/encode-request.ts';
export { decodeResponsesRequest } from './responses/request/decode-request.ts';
export { encodeResponsesRequest } from './responses/request/encode-request.ts';
export { defaultQuirks } from './chat-completions/quirks.ts';
export { translate } from './translate.ts';

export { chatStreamDecoder, decodeChatBody } from './chat-completions/answer/decode-stream.ts';
export { messagesStreamDecoder } from './messages/answer/message-decoder.ts';
export { responsesStreamDecoder } from './responses/answer/response-decoder.ts';
export { eventDataDecoder } from './event-stream-decoder.ts';
export { chatStreamEncoder } from './chat-completions/answer/encode-stream.ts';
export { encodeChatBody } from './chat-completions/answer/encode-body.ts';
export { MessagesStreamEncoder } from './messages/answer/encode-stream.ts';
export { encodeMessageBody } from './messages/answer/encode-body.ts';
export { ResponseStream } from './responses/encode-stream.ts';
