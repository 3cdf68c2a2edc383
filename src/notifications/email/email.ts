import type { Language } from '../../accounts/users.ts';
import { emailTemplates, type Subject } from './email-templates.ts';

/** A rendered e-mail. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface EmailContent {
  readonly to: string;
  readonly subject: Subject;
  readonly languages: readonly Language[];
  /** Title of the site that the recipient uses. */
  readonly brand: string;
  readonly link: string;
}

const subjectMax = 150;
/** The first half of a surrogate pair that `slice` cut in two. */
const halfCharacter = /[\uD800-\uDBFF]$/;

/** Renders an e-mail as text and as simple HTML, one language below the other. */
export function writeEmail({ to, subject, languages, brand, link }: EmailContent): Email {
  const texts = emailTemplates(subject, oneLine(brand));
  const parts = languages.map((language) => texts[language]);
  return {
    to,
    subject: parts
      .map(({ title }) => oneLine(title))
      .join(' · ')
      .slice(0, subjectMax)
      .replace(halfCharacter, ''),
    text: parts
      .map(({ title, lines, action }) => [title, '', ...lines, '', `${action}: ${link}`].map(oneLine).join('\n'))
      .join('\n\n—\n\n'),
    html: `<!doctype html><meta charset="utf-8">${parts
      .map(
        ({ title, lines, action }) =>
          `<h1>${escaped(title)}</h1>${lines.map((line) => `<p>${escaped(line)}</p>`).join('')}<p><a href="${escaped(link)}">${escaped(action)}</a></p>`,
      )
      .join('<hr>')}`,
  };
}

/** Users choose names, so a name must not be able to add a header or a line. */
function oneLine(text: string): string {
  return text.replace(/\p{C}+/gu, ' ');
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return oneLine(text).replace(/[&<>"']/g, (character) => names[character] ?? character);
}
