import { TextInput } from '@mantine/core';
import type { OwnModels } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { useFilters } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { matchesSearch } from './match.ts';
import { ModelTable } from './model-table.tsx';

/** All models that the account can call on this site. */
export default function ModelsPage() {
  const { t } = useText();
  const [{ search = '' }, change] = useFilters(['search']);
  const { data, error, refetch } = useRead<OwnModels>('/account/v1/models');
  const found = data?.data.filter((model) => matchesSearch(model, search));
  return (
    <>
      <PageHeader title={t('nav.models')} description={t('models.description')} />
      <TextInput
        type="search"
        aria-label={t('models.search')}
        placeholder={t('models.search')}
        leftSection={<SearchIcon size={16} />}
        value={search}
        onChange={({ currentTarget }) => change({ search: currentTarget.value || undefined })}
        maw={360}
        mb="md"
      />
      <ModelTable models={found} error={error} onRetry={() => void refetch()} isSearched={search !== ''} />
    </>
  );
}
