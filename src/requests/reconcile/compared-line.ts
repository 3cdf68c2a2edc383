import type { FigureField } from '../../core/invoice/invoice-columns.ts';
import type { Figures, OwnFigures, UsageKey } from './own-usage.ts';

/** The figures of one key. */
export interface ComparedLine {
  readonly key: UsageKey;
  readonly invoice: Partial<Figures>;
  readonly own: OwnFigures;
  /** Invoice minus own, of each figure that both sides have. */
  readonly difference: Partial<Figures>;
  /** The figures whose difference is above the tolerance. */
  readonly different: readonly FigureField[];
}
