import type { Figures, OwnFigures, UsageKey } from './own-usage.ts';

export const figureNames = ['input', 'cached', 'output', 'cost'] as const satisfies readonly (keyof Figures)[];
export type FigureName = (typeof figureNames)[number];

/** The figures of one key. */
export interface ComparedLine {
  readonly key: UsageKey;
  readonly invoice: Partial<Figures>;
  readonly own: OwnFigures;
  /** Invoice minus own, of each figure that both sides have. */
  readonly difference: Partial<Figures>;
  /** The figures whose difference is above the tolerance. */
  readonly different: readonly FigureName[];
}
