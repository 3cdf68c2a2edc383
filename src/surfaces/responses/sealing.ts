import type { SecretVault } from '../../catalog/secret-vault.ts';
import type { ReasoningItem } from '../../dialects/responses/answer/reasoning-item.ts';
import { listOf, objectOf, parsedJson } from '../../dialects/wire-value.ts';
import type { ResponseStorage, SealOwner } from './response-storage.ts';

/** Distinguishes results of this gateway from those of others. */
const prefix = 'gw1.';
/** Above the reasoning of any model. A client sends it back with every request. */
const sealedBytesMax = 4 * 1024 * 1024;

/** Seals reasoning with the vault's key, for one account and one model. Others cannot open it. */
export function sealing(vault: SecretVault): Pick<ResponseStorage, 'seal' | 'unseal'> {
  return {
    seal(reasoning, owner) {
      const text = JSON.stringify({ thoughts: reasoning });
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
