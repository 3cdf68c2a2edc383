import { Button, Switch } from '@mantine/core';
import { useState } from 'react';
import type { Key } from '../../api/wire.ts';
import { useAccount } from '../../api/account.tsx';
import { usePages } from '../../api/queries.ts';
import { FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyTable } from './key-table.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { RollKey } from './roll-key.tsx';

/** Fewer are seen at a glance. */
const searchedFrom = 8;

type Asked = { readonly what: 'roll' | 'revoke'; readonly key: Key };

/** The account's keys, and everything that is done to them. */
export default function KeysPage() {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const [values, change] = useFilters(['new', 'ended', 'q']);
  const [asked, setAsked] = useState<Asked>();
  const pages = usePages<Key>('/account/v1/keys', { limit: 200, order: 'newest', q: values.q });
  const create = () => change({ new: 'key' }, { as: 'step' });
  const close = () => setAsked(undefined);
  const hasEnded = pages.rows?.some(({ state }) => state !== 'active') ?? false;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.keys')}
        description={t('keys.description')}
        actions={
          mayWrite && (
            <Button leftSection={<PlusIcon size={16} />} onClick={create}>
              {t('keys.create')}
            </Button>
          )
        }
      />
      {(values.q !== undefined || (pages.rows?.length ?? 0) > searchedFrom) && (
        <FilterBar fields={[{ name: 'q', label: t('keys.search'), width: 240 }]} />
      )}
      {hasEnded && (
        <Switch
          mb="md"
          label={t('keys.showEnded')}
          checked={values.ended !== undefined}
          onChange={({ currentTarget }) => change({ ended: currentTarget.checked ? 'shown' : undefined })}
        />
      )}
      <KeyTable
        pages={pages}
        withEnded={values.ended !== undefined}
        onCreate={mayWrite ? create : undefined}
        onRoll={(key) => setAsked({ what: 'roll', key })}
        onRevoke={(key) => setAsked({ what: 'revoke', key })}
      />
      <CreateKey isOpen={mayWrite && values.new !== undefined} onClose={() => change({ new: undefined })} />
      <RollKey keyToRoll={asked?.what === 'roll' ? asked.key : undefined} onClose={close} />
      <RevokeKey keyToRevoke={asked?.what === 'revoke' ? asked.key : undefined} onClose={close} />
    </>
  );
}
