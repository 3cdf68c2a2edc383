import { azureKind } from './azure.ts';
import { bedrockKind } from './bedrock.ts';
import { chatKind, completionsKind } from './chat-completions.ts';
import { cohereKind } from './cohere.ts';
import { googleKind, vertexKind } from './gemini.ts';
import { messagesKind, passedThroughKind } from './messages.ts';
import { mistralKind } from './mistral.ts';
import type { ProviderKind } from './provider-kind.ts';
import { passedResponsesKind, responsesKind } from './responses.ts';

/** Every way in which a provider can be reached. */
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
