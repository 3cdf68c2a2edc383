import type { Account } from '../../api/wire.ts';
import { accountName } from '../../components/names.ts';
import { saveRows } from '../../components/row-export.ts';
import type { TableSelection } from '../../components/table-selection.ts';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { texts } from './texts.ts';

/** Selected accounts can be suspended and resumed, unless the user may only read, and exported. */
export function useAccountSelection(mayOperate: boolean): TableSelection<Account> {
  const { t } = useText();
  const p = usePageText(texts);
  const exportLabel = usePageText(tableTexts)('exportSelected');
  const changes = ['/admin/v1/accounts'];
  const endpoint = (verb: 'suspend' | 'resume') => ({
    path: ({ id }: Account) => `/admin/v1/accounts/${encodeURIComponent(id)}/${verb}`,
    changes,
  });
  const suspend = {
    key: 'suspend',
    label: t('accounts.suspend'),
    isFor: ({ status }: Account) => status === 'active',
    write: {
      ...endpoint('suspend'),
      title: (count: number) => p('suspendMany', { count }),
      text: p('suspendManyText'),
      isDangerous: true,
      successMessage: (count: number) => p('suspendedMany', { count }),
    },
  };
  const resume = {
    key: 'resume',
    label: t('accounts.resume'),
    isFor: ({ status }: Account) => status === 'suspended',
    write: {
      ...endpoint('resume'),
      title: (count: number) => p('resumeMany', { count }),
      text: p('resumeManyText'),
      successMessage: (count: number) => p('resumedMany', { count }),
    },
  };
  return {
    nameOf: accountName,
    actions: [
      ...(mayOperate ? [suspend, resume] : []),
      { key: 'export', label: exportLabel, run: (rows) => saveRows('accounts', exported, rows) },
    ],
  };
}

const exported = [
  'id',
  'name',
  'display_name',
  'package',
  'status',
  'balance',
  'recent_spend',
  'keys',
  'last_used_at',
  'created_at',
] as const;
