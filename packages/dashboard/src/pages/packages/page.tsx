import { Progress, Stack, Text } from '@mantine/core';
import type { NewPackage } from '../../api/wire.ts';
import type { Column } from '../../components/data-table.tsx';
import { Dash } from '../../components/money.tsx';
import { NameList } from '../../components/model-patterns.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { PackagesIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { PackageDialog } from './package-dialog.tsx';
import { factorOf, isPlain } from './price-factor.ts';
import { type PackageEntry, shareInWords, weightOf } from './share.ts';

export default function PackagesPage() {
  const { t } = useText();
  const factor: Column<PackageEntry> = {
    key: 'factor',
    header: t('packages.factor'),
    align: 'right',
    cell: (entry) => (isPlain(factorOf(entry)) ? <Dash /> : `× ${factorOf(entry)}`),
  };
  const columns = (all: readonly PackageEntry[]): readonly Column<PackageEntry>[] => [
    {
      key: 'models',
      header: t('packages.models'),
      cell: ({ spec }) => <NameList names={spec.models} everything={t('common.allModels')} />,
    },
    { key: 'weight', header: t('packages.weight'), align: 'right', cell: weightOf },
    {
      key: 'share',
      header: t('packages.share'),
      width: 240,
      cell: (entry) => {
        const share = weightOf(entry) / Math.max(1, ...all.map(weightOf));
        return (
          <Stack gap={6}>
            <Text fz="sm">{shareInWords(entry, all, t)}</Text>
            <Progress value={share * 100} size={4} aria-hidden maw={220} visibleFrom="sm" />
          </Stack>
        );
      },
    },
    ...(all.every((entry) => isPlain(factorOf(entry))) ? [] : [factor]),
    {
      key: 'accounts',
      header: t('packages.accounts'),
      cell: ({ name }) => (
        <ViewAnchor to="/app/operator/accounts" search={{ package: name }}>
          {t('packages.showAccounts')}
        </ViewAnchor>
      ),
    },
  ];
  return (
    <ResourcePage<NewPackage>
      kind="package"
      icon={<PackagesIcon />}
      columns={columns}
      dialog={(props) => <PackageDialog key={props.entry?.name} {...props} />}
    />
  );
}
