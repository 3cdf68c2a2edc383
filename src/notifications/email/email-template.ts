import type { Language } from '../../accounts/users.ts';

/** One e-mail in one language. */
export interface EmailTemplate {
  readonly title: string;
  readonly lines: readonly string[];
  /** Label of the link. */
  readonly action: string;
}

/** The same e-mail in every language. */
export type EmailTexts = Readonly<Record<Language, EmailTemplate>>;
