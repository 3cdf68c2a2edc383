import type { FixedTextKey } from '../../text/text.tsx';
import type { ModelSurface } from './model-values.ts';

const names: Readonly<Record<ModelSurface, FixedTextKey>> = {
  openai: 'routes.surfaceNameChat',
  anthropic: 'routes.surfaceNameMessages',
  'openai-response': 'routes.surfaceNameResponses',
};

/** The display name of a surface. Returns the raw name if this dashboard has no text for it. */
export function surfaceName(surface: string, t: (key: FixedTextKey) => string): string {
  return surface in names ? t(names[surface as ModelSurface]) : surface;
}
