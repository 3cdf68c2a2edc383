import { useRead } from '../api/queries.ts';
import type { StoredBodies } from '../api/wire.ts';
import type { Translate } from '../text/text.tsx';

/** Whether and how request bodies are stored, and how many are: of the chosen account, or of all accounts. */
export function useStoredBodies(isOperator: boolean) {
  const path = isOperator ? '/admin/v1/stored-bodies' : '/account/v1/stored-bodies';
  return useRead<StoredBodies>(path, {}, { staleTime: 60_000 });
}

const daySeconds = 86_400;

/** The retention time of bodies as a text. */
export function keptFor({ keep_seconds: seconds }: Pick<StoredBodies, 'keep_seconds'>, t: Translate): string {
  const kept = seconds ?? 0;
  const isDays = kept >= 2 * daySeconds && kept % daySeconds === 0;
  return isDays ? t('bodies.days', { count: kept / daySeconds }) : t('bodies.hours', { count: kept / 3600 });
}

/** Formats a size in bytes, KiB or MiB. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${rounded(kibibytes)} KiB` : `${rounded(kibibytes / 1024)} MiB`;
}

function rounded(value: number): string {
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}
