import { Anchor, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePages } from '../api/queries.ts';
import type { Resource } from '../api/resource.ts';
import { useMayOperate } from '../api/session.ts';
import { useText } from '../text/text.tsx';
import { OwnedByFile } from './cells.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { useFilters } from './filters.ts';
import { PageHeader } from './page-header.tsx';
import type { DialogKind } from './resource-dialog.tsx';
import { AddButton } from './view-links.tsx';

interface ResourcePageProps<Spec> {
  readonly kind: DialogKind;
  readonly icon: ReactNode;
  /** Shown below the name. */
  readonly subtitleOf?: (spec: Spec) => string | undefined;
  /** The columns between the name and the source. They may compare entries. */
  readonly columns: (all: readonly Resource<Spec>[]) => readonly Column<Resource<Spec>>[];
  /** The dialog of an entry, or of a new one. */
  readonly dialog: (props: ResourceDialogParts<Spec>) => ReactNode;
}

interface ResourceDialogParts<Spec> {
  readonly entry: Resource<Spec> | undefined;
  readonly others: readonly Resource<Spec>[];
  readonly onClose: () => void;
}

/** The configuration entries of a kind, and a dialog for one. The URL contains the open one. */
export function ResourcePage<Spec>({ kind, icon, subtitleOf, columns, dialog }: ResourcePageProps<Spec>) {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const pages = usePages<Resource<Spec>>(`/admin/v1/${kind}s`, { limit: 200 });
  const [{ [kind]: openName, add }, change] = useFilters<DialogKind | 'add'>([kind, 'add']);
  const all = pages.rows ?? [];
  const entry = all.find(({ name }) => name === openName);
  const addButton = mayOperate && (
    <AddButton onClick={() => change({ add: '1' }, { as: 'step' })}>{t(`${kind}s.add`)}</AddButton>
  );
  const nameCell = ({ name, spec }: Resource<Spec>) => (
    <Stack gap={0} align="flex-start">
      <Anchor component="button" type="button" fw={560} onClick={() => change({ [kind]: name }, { as: 'step' })}>
        {name}
      </Anchor>
      {subtitleOf?.(spec) && (
        <Text fz="xs" c="dimmed">
          {subtitleOf(spec)}
        </Text>
      )}
    </Stack>
  );
  return (
    <>
      <PageHeader title={t(`nav.${kind}s`)} description={t(`${kind}s.description`)} actions={addButton} />
      <DataTable
        label={t(`nav.${kind}s`)}
        columns={[
          { key: 'name', header: t(`${kind}s.name`), cell: nameCell },
          ...columns(all),
          { key: 'source', header: '', align: 'right', width: 200, cell: (each) => <OwnedByFile {...each} /> },
        ]}
        pages={pages}
        rowKey={({ name }) => name}
        empty={
          <EmptyState icon={icon} title={t(`${kind}s.emptyTitle`)} text={t(`${kind}s.emptyText`)} action={addButton} />
        }
      />
      {(entry || (add && mayOperate)) &&
        dialog({
          entry,
          others: all.filter((each) => each !== entry),
          onClose: () => change({ [kind]: undefined, add: undefined }),
        })}
    </>
  );
}
