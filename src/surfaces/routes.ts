import type { Route } from '../http/route.ts';
import type { Balance } from '../billing/wallet/balance.ts';
import { userBalance } from './balance.ts';
import { chatCompletions, completions } from './chat-completions.ts';
import type { ChatFastPath, SurfaceParts } from './conversation.ts';
import { countTokens, messages } from './messages/messages.ts';
import { messagesModels } from './messages/models.ts';
import { models } from './models.ts';
import { passThroughRoutes } from './pass-through/pass-through.ts';
import { inputTokens, noWebSocket, responses } from './responses/responses.ts';
import { compaction } from './responses/compaction.ts';
import type { ResponseStorage } from './responses/sealed-responses.ts';
import { InFlightResponses } from './responses/in-flight-responses.ts';
import { storedResponseRoutes } from './responses/stored-response-routes.ts';
import { documentRoutes } from './openapi/routes.ts';

interface RouteParts extends SurfaceParts {
  readonly fastPath?: ChatFastPath;
  readonly storage: ResponseStorage;
  version(): string;
  balance(accountId: string): Promise<Balance>;
}

export function routes(parts: RouteParts): readonly Route[] {
  const { messagesPrefix } = parts.settings();
  const inFlight = new InFlightResponses();
  return [
    chatCompletions(parts, parts.fastPath),
    completions(parts),
    responses({ ...parts, inFlight }),
    noWebSocket,
    inputTokens(parts),
    compaction(parts),
    ...storedResponseRoutes({ ...parts, inFlight }),
    ...models(parts),
    ...passThroughRoutes(parts),
    userBalance(parts),
    messages(parts, messagesPrefix),
    countTokens(parts, messagesPrefix),
    ...messagesModels(parts, messagesPrefix),
    ...documentRoutes(() => ({ version: parts.version(), ...parts.settings() })),
  ];
}
