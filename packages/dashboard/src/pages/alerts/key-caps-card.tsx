import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { usePages } from '../../api/queries.ts';
import type { Key } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { KeyIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { EditKey } from '../keys/edit-key.tsx';
import { useOwnScope } from '../keys/key-scope.ts';
import { KeySpend } from '../keys/key-spend.tsx';
import { texts } from './texts.ts';

/** More keys are on their own page. */
const shownMax = 10;

export function useCappedKeys() {
  return usePages<Key>('/account/v1/keys', { limit: 200, order: 'newest' });
}

/** The active keys with their caps. Keys with a cap come first. */
export function KeyCapsCard() {
  const t = usePageText(texts);
  const { mayWrite } = useAccount();
  const scope = useOwnScope();
  const pages = useCappedKeys();
  const [edited, setEdited] = useState<Key>();
  const columns: readonly Column<Key>[] = [
    { key: 'name', header: t('key'), cell: ({ name }) => <Text fw={520}>{name}</Text> },
    { key: 'used', header: t('used'), align: 'right', cell: (key) => <CapCell apiKey={key} /> },
    {
      key: 'edit',
      header: '',
      align: 'right',
      cell: (key) =>
        mayWrite && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t(key.spend_cap === null ? 'setCapOf' : 'editOf', { name: key.name })}
            onClick={() => setEdited(key)}
          >
            {t(key.spend_cap === null ? 'setCap' : 'edit')}
          </Button>
        ),
    },
  ];
  return (
    <SectionCard
      title={t('capsTitle')}
      text={t('capsText')}
      action={
        <ViewAnchor to="/app/keys" fz="sm">
          {t('allKeys')}
        </ViewAnchor>
      }
    >
      <DataTable
        label={t('capsTitle')}
        columns={columns}
        pages={{ ...pages, rows: pages.rows && cappedFirst(pages.rows).slice(0, shownMax), hasMore: false }}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={<KeyIcon size={22} />} title={t('noKeys')} text={t('noKeysText')} />}
      />
      {edited && <EditKey scope={scope} apiKey={edited} onClose={() => setEdited(undefined)} />}
    </SectionCard>
  );
}

function cappedFirst(keys: readonly Key[]): readonly Key[] {
  const active = keys.filter(({ state }) => state === 'active');
  return active.toSorted((one, other) => Number(one.spend_cap === null) - Number(other.spend_cap === null));
}

function CapCell({ apiKey }: { readonly apiKey: Key }) {
  const t = usePageText(texts);
  return (
    <div>
      <KeySpend apiKey={apiKey} />
      {apiKey.spend_cap === null && (
        <Text fz="xs" c="dimmed">
          {t('noCap')}
        </Text>
      )}
    </div>
  );
}
