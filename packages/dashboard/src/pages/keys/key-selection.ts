import type { Key } from '../../api/wire.ts';
import { saveRows } from '../../components/row-export.ts';
import type { TableSelection } from '../../components/table-selection.ts';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { isChangeable, type KeyScope } from './key-scope.ts';
import { texts } from './texts.ts';

/** Selected keys can be revoked, unless the user may only read, and exported. */
export function useKeySelection(scope: KeyScope, mayWrite: boolean): TableSelection<Key> {
  const { path } = scope;
  const { t } = useText();
  const p = usePageText(texts);
  const exportLabel = usePageText(tableTexts)('exportSelected');
  const revoke = {
    key: 'revoke',
    label: t('keys.revoke'),
    isFor: (key: Key) => key.state === 'active' && isChangeable(scope, key),
    write: {
      title: (count: number) => p('revokeMany', { count }),
      text: p('revokeManyText'),
      isDangerous: true,
      path: ({ id }: Key) => `${path}/${encodeURIComponent(id)}/revoke`,
      changes: [path],
      successMessage: (count: number) => p('revokedMany', { count }),
    },
  };
  return {
    nameOf: ({ name }) => name,
    actions: [
      ...(mayWrite ? [revoke] : []),
      { key: 'export', label: exportLabel, run: (rows) => saveRows('keys', exported, rows) },
    ],
  };
}

const exported = [
  'id',
  'name',
  'display',
  'account_id',
  'state',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
  'spent',
  'spend_cap',
  'cap_period',
  'cap_spent',
  'max_concurrency',
] as const;
