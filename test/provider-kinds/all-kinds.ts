import { chatKind, completionsKind } from './chat-completions.ts';
import { cloudKinds } from './clouds.ts';
import { messagesKind, passedThroughKind } from './messages.ts';
import type { ProviderKind } from './provider-kind.ts';
import { passedResponsesKind, responsesKind } from './responses.ts';

/** All kinds of providers, each with every endpoint that the gateway calls. */
export const allKinds: readonly ProviderKind[] = [
  chatKind,
  completionsKind,
  messagesKind,
  passedThroughKind,
  responsesKind,
  passedResponsesKind,
  ...cloudKinds,
];
