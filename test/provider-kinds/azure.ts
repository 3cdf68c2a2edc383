import { azureRecordings } from '../bridged/azure.ts';
import { bridgedKind } from './bridged-kind.ts';
import { chatKind } from './chat-completions.ts';
import type { ProviderKind } from './provider-kind.ts';

/** A deployment of Azure OpenAI, which uses the chat-completions format. */
export const azureKind: ProviderKind = {
  ...bridgedKind(azureRecordings),
  refusal: chatKind.refusal,
  answer: chatKind.answer,
  fail: chatKind.fail,
  malformedEvent: chatKind.malformedEvent,
  sign: chatKind.sign,
};
