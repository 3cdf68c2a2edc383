import { jsonOf, type Row } from '../table-reader.ts';
import { recordOf, textOf, valuesOf } from '../values.ts';
import type { OneApiProduct } from './source.ts';

/** The keys of a channel that are in use, and how many the product has switched off. */
export interface ChannelKeys {
  readonly keys: readonly string[];
  readonly off: number;
}

/** Keys are separated by line breaks, or are the entries of a JSON list. Only new-api notes a state of each. */
export function channelKeys(product: OneApiProduct, row: Row): ChannelKeys {
  const all = keysIn(row['key'] ?? '');
  const info = product === 'new-api' ? valuesOf(row['channel_info']) : {};
  const states = info['is_multi_key'] === true ? recordOf(info['multi_key_status_list']) : {};
  const keys = all.filter((_key, index) => (textOf(states[String(index)]) ?? '1') === '1');
  return { keys: [...new Set(keys)], off: all.length - keys.length };
}

function keysIn(cell: string): readonly string[] {
  const text = cell.trim();
  const list = text.startsWith('[') ? jsonOf(text) : undefined;
  if (Array.isArray(list)) return list.map((key: unknown) => (typeof key === 'string' ? key : JSON.stringify(key)));
  // The document of a service account has line breaks.
  if (text.startsWith('{')) return [text];
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}
