import { azureAddress } from '../planned-upstream.ts';
import type { Row } from '../table-reader.ts';
import { textOf, valuesOf } from '../values.ts';
import { type ChannelKind, namedAddresses } from './channel-kinds.ts';

/** The address of the API in our form, which has the part of the path that the products append. */
export interface ChannelAddress {
  /** `undefined`: that of the kind. */
  readonly baseUrl?: string | undefined;
  /** Why the address cannot be used. */
  readonly problem?: 'address_missing' | 'address_unusable' | undefined;
}

const cloudflareGateway = 'https://gateway.ai.cloudflare.com';

export function channelAddress(kind: ChannelKind, row: Row): ChannelAddress {
  const given = trimmed(row['base_url'] ?? '');
  const named = Object.hasOwn(namedAddresses, given) ? namedAddresses[given] : undefined;
  if (named !== undefined) return { baseUrl: named };
  if (given !== '' && !isWebAddress(given)) return { problem: 'address_unusable' };
  if (kind.form === 'full-address') return fullAddress(given);
  if (kind.form === 'cloudflare') return cloudflare(given || (kind.base ?? ''), row);
  if (kind.form === 'bedrock' || kind.form === 'vertex') return given === '' ? {} : { baseUrl: given };
  if (kind.form === 'azure') return given === '' ? { problem: 'address_missing' } : { baseUrl: azureAddress(given) };
  const isDefault = given === '' || given === kind.base;
  // A kind with a preset knows its address.
  if (isDefault && (kind.kind !== 'openai' || kind.title === 'OpenAI')) return {};
  const base = given || kind.base;
  if (base === undefined) return { problem: 'address_missing' };
  return { baseUrl: base.startsWith(cloudflareGateway) ? base : `${base}${kind.path ?? ''}` };
}

/** The whole address of the chat-completions endpoint. A placeholder for the model cannot be expressed. */
function fullAddress(given: string): ChannelAddress {
  const base = given.replace(/\/chat\/completions$/, '');
  if (given === '') return { problem: 'address_missing' };
  return base === given || base.includes('{model}') ? { problem: 'address_unusable' } : { baseUrl: base };
}

/** `other` or the configuration of the channel has the id of the account. */
function cloudflare(base: string, row: Row): ChannelAddress {
  const account = textOf(valuesOf(row['config'])['user_id']) ?? row['other'] ?? '';
  if (!/^[\w-]+$/.test(account)) return { problem: 'address_missing' };
  return { baseUrl: `${base}/client/v4/accounts/${account}/ai/v1` };
}

function trimmed(address: string): string {
  return address.trim().replace(/\/+$/, '');
}

function isWebAddress(address: string): boolean {
  return /^https?:\/\/[^/@?#]+/.test(address) && URL.canParse(address);
}
