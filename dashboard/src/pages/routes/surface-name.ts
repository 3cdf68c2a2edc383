import type { PlainKey } from '../../text/text.tsx';
import type { ModelSurface } from './model-values.ts';

const names: Readonly<Record<ModelSurface, PlainKey>> = {
  openai: 'routes.surfaceNameChat',
  anthropic: 'routes.surfaceNameMessages',
  'openai-response': 'routes.surfaceNameResponses',
};

/** What the API of a surface is called wherever people read of it; its own word where it has no name yet. */
export function surfaceName(surface: string, t: (key: PlainKey) => string): string {
  return surface in names ? t(names[surface as ModelSurface]) : surface;
}
