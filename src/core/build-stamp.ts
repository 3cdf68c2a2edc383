import { readFileSync } from 'node:fs';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** `npm run build` writes the commit time here. Run from source, the gateway determines the time at the start. */
export const buildStamp = '19700101-000000';

/** A time as `YYYYMMDD-HHMMSS` in UTC. */
export function formatStamp(time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().split('T');
  return `${date.replaceAll('-', '')}-${clock.slice(0, 8).replaceAll(':', '')}`;
}

/** The version of the package. A build has the same folders as the source. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (ownJson(text) as { version: string }).version;
}
