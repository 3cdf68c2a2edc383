import { amount } from '../config/decimal.ts';
import { modelPattern } from '../config/names.ts';
import { nanoFrom } from '../core/money.ts';
import { CliError } from './output.ts';

/** A name to recognise a key by. */
export function keyName(text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= 64 && !/\p{C}/u.test(name)) return name;
  throw new CliError('--name must have 1 to 64 printable characters.', { exitCode: 2 });
}

export function amountOf(text: string): bigint {
  const decimal = amount.safeParse(text);
  if (decimal.success) return nanoFrom(decimal.data);
  throw new CliError(`--spend-cap ${text} ${decimal.error.issues[0]?.message}.`, { exitCode: 2 });
}

export function patterns(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const pattern = modelPattern.safeParse(part.trim());
    if (pattern.success) return pattern.data;
    const next = 'Write --models a,b with model ids, aliases or patterns such as acme-*.';
    throw new CliError(`--models ${text}: a model ${pattern.error.issues[0]?.message}.`, { next, exitCode: 2 });
  });
}
