import { randomBase62 } from './base62.ts';

export type AccountId = string & { readonly brand: 'account' };
export type KeyId = string & { readonly brand: 'key' };

export type OrganisationId = string & { readonly brand: 'organisation' };

export function newAccountId(): AccountId {
  return `acc_${randomBase62(16)}` as AccountId;
}

export function newKeyId(): KeyId {
  return `key_${randomBase62(16)}` as KeyId;
}

export function newOrganisationId(): OrganisationId {
  return `org_${randomBase62(16)}` as OrganisationId;
}
