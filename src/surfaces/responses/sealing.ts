import type { SecretVault } from '../../catalog/secret-vault.ts';
import type { ReasoningItem } from '../../dialects/responses/reasoning-item.ts';
import { listOf, objectOf, parsedJson } from '../../dialects/wire-value.ts';
import type { ResponseKeeping, SealOwner } from './response-keeping.ts';

/** What we have sealed is told from what others have by it. */
const prefix = 'gw1.';
/** More than any model thinks at a time; a client would have to send it back with every turn. */
const sealedBytesMax = 4 * 1024 * 1024;

/** Closes thoughts with the vault's key, for one account and one model; anybody else's stay closed. */
export function sealing(vault: SecretVault): Pick<ResponseKeeping, 'seal' | 'unseal'> {
  return {
    seal(thoughts, owner) {
      const text = JSON.stringify({ thoughts });
      if (Buffer.byteLength(text) > sealedBytesMax) return undefined;
      return prefix + vault.seal(nameOf(owner), text);
    },
    unseal(sealed, owner) {
      if (!sealed.startsWith(prefix) || sealed.length > 2 * sealedBytesMax) return undefined;
      const opened = vault.open(nameOf(owner), sealed.slice(prefix.length));
      if (!opened.ok) return undefined;
      return listOf(objectOf(parsedJson(opened.secret))?.['thoughts']) as readonly ReasoningItem[];
    },
  };
}

function nameOf({ accountId, model }: SealOwner): string {
  return `thought ${accountId} ${model}`;
}
