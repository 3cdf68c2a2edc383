import type { Route } from '../http/route.ts';
import { chatCompletions } from './chat-completions.ts';
import { completions } from './completions.ts';
import type { SurfaceParts } from './conversation.ts';
import { models } from './models.ts';
import { documentRoutes } from './openapi/routes.ts';

/** Every public endpoint, a line each. */
export function routes(parts: SurfaceParts & { version(): string }): readonly Route[] {
  return [
    chatCompletions(parts),
    completions(parts),
    models(parts),
    ...documentRoutes(() => ({ version: parts.version(), ...parts.settings() })),
  ];
}
