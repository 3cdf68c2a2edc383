import type { Language } from '../accounts/users.ts';

/** One letter in one language. */
export interface EmailTemplate {
  readonly title: string;
  readonly lines: readonly string[];
  /** What the link is called. */
  readonly action: string;
}

/** The same letter in every language there is. */
export type EmailTexts = Readonly<Record<Language, EmailTemplate>>;
