import type { FixedTextKey } from '../../text/text.tsx';
import type { ModelValues } from './model-values.ts';

/** The names of the ways to treat fields without a translation. */
export const untranslatableWords: Readonly<Record<ModelValues['untranslatable'], FixedTextKey>> = {
  hints: 'routes.untranslatableHints',
  refuse: 'routes.untranslatableRefuse',
  drop: 'routes.untranslatableDrop',
};
