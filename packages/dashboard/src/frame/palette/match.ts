import type { ComponentType } from 'react';
import type { IconProps } from '../../icons.tsx';
import type { PageTranslate } from '../../text/page-text.ts';
import type { paletteTexts } from './texts.ts';

/** The address of a page, and perhaps of a dialog on it. */
export interface Target {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** An object that an action asks for first. */
export interface Subject {
  readonly kind: 'account' | 'upstream';
  /** Only accounts with this status. */
  readonly status?: 'active' | 'suspended';
  /** The dialog of the object. */
  readonly search: Readonly<Record<string, string>>;
}

/** One search result. */
export interface PaletteMatch {
  /** Unique in the list. */
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly detail?: string | undefined;
  readonly icon: ComponentType<IconProps> | undefined;
  /** The address to open, or the object to choose first. */
  readonly opens: Target | Subject;
}

export type PaletteText = PageTranslate<typeof paletteTexts>;

/** Whether each word of the query is in the name. An empty query matches. */
export function matchesWords(name: string, query: string): boolean {
  const lower = name.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
