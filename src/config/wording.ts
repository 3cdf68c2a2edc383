import type { z } from 'zod';

/** What a broken rule is called, continuing the path of the value: `listen.port must be a whole number`. */
export const wording: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => `\`${String(value)}\``).join(' or ')}`;
    case 'invalid_union':
      return 'has the wrong form';
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? 'written differently'}`;
    case 'too_small':
      return `must ${sized(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`;
    case 'too_big':
      return `must ${sized(issue.origin)} at most ${issue.maximum}${unit(issue.origin)}`;
    default:
      return undefined;
  }
};

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a whole number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a group of names and values',
  record: 'a group of names and values',
};

const formatNames: Readonly<Record<string, string>> = {
  url: 'a full http or https address',
  email: 'an e-mail address',
};

function sized(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'have' : 'be';
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' entries' : '';
}
