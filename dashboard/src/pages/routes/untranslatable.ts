import type { PlainKey } from '../../text/text.tsx';
import type { ModelValues } from './model-values.ts';

/** What each way to treat fields without translation is called. */
export const untranslatableWords: Readonly<Record<ModelValues['untranslatable'], PlainKey>> = {
  hints: 'routes.untranslatableHints',
  refuse: 'routes.untranslatableRefuse',
  drop: 'routes.untranslatableDrop',
};
