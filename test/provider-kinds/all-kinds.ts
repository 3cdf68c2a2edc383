import { azureKind } from './azure.ts';
import { bedrockKind } from './bedrock.ts';
import { chatKind, completionsKind } from './chat-completions.ts';
import { cohereKind } from './cohere.ts';
import { googleKind, vertexKind } from './gemini.ts';
import { messagesKind, passedThroughKind } from './messages.ts';
import { mistralKind } from './mistral.ts';
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
  bedrockKind,
  googleKind,
  vertexKind,
  azureKind,
  cohereKind,
  mistralKind,
];
