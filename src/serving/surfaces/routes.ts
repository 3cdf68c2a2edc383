import type { Route } from '../http/route.ts';
import { type BalanceParts, userBalance } from './balance.ts';
import { chatCompletions, completions } from './chat-completions.ts';
import type { ChatFastPath, SurfaceParts } from './conversation.ts';
import { countTokens, messages } from './messages/messages.ts';
import { messagesModels } from './messages/models.ts';
import { models } from './models.ts';
import { passThroughRoutes } from './pass-through/pass-through.ts';
import { inputTokens, noWebSocket, responses } from './responses/responses.ts';
import { compaction } from './responses/compaction.ts';
import type { ResponseStorage } from './responses/sealed-responses.ts';
import type { BackgroundResponses } from './responses/background/background-responses.ts';
import type { InFlightResponses } from './responses/in-flight-responses.ts';
import { storedResponseRoutes } from './responses/stored-response-routes.ts';
import { type BatchRouteParts, batchRoutes } from './batches/batches.ts';
import { messageBatchRoutes } from './batches/message-batches.ts';
import { fileRoutes } from './files/files.ts';
import type { UploadParts } from './files/upload.ts';
import { documentRoutes } from './openapi/routes.ts';

interface RouteParts extends SurfaceParts, BalanceParts, UploadParts, BatchRouteParts {
  readonly fastPath?: ChatFastPath;
  readonly storage: ResponseStorage;
  readonly inFlight: InFlightResponses;
  readonly background: BackgroundResponses;
  version(): string;
}

export function routes(parts: RouteParts): readonly Route[] {
  const { messagesPrefix } = parts.settings();
  return [
    chatCompletions(parts, parts.fastPath),
    completions(parts),
    responses(parts),
    noWebSocket,
    inputTokens(parts),
    compaction(parts),
    ...storedResponseRoutes(parts),
    ...models(parts),
    ...passThroughRoutes(parts),
    userBalance(parts),
    messages(parts, messagesPrefix),
    countTokens(parts, messagesPrefix),
    ...messagesModels(parts, messagesPrefix),
    ...fileRoutes(parts),
    ...batchRoutes(parts),
    ...messageBatchRoutes(parts, messagesPrefix),
    ...documentRoutes(() => ({ version: parts.version(), ...parts.settings() })),
  ];
}
