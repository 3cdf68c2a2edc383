import type { CacheLife } from './chat/message.ts';
import { objectOf, type WireObject } from './wire-value.ts';

/** The cache marker of a block, message or tool; the default is five minutes. Any other value is not a marker. */
export function cacheOf(wire: WireObject): { readonly cache?: CacheLife } {
  const control = objectOf(wire.cache_control);
  if (control?.type !== 'ephemeral') return {};
  return { cache: control.ttl === '1h' ? '1h' : '5m' };
}

export type CacheControl = { readonly type: 'ephemeral'; readonly ttl?: '1h' };

export function cacheControl(cache: CacheLife): CacheControl {
  return cache === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}
