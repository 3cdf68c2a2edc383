import { Button, Skeleton, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import type { UpstreamTest } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFilters } from '../../components/filters.ts';
import { ViewButton } from '../../components/view-links.tsx';
import { CheckIcon, WarningIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { AddMany } from './add-many.tsx';
import classes from './upstream.module.css';

export interface TestResultProps {
  readonly upstream: string;
  readonly isBusy: boolean;
  readonly result: UpstreamTest | undefined;
  readonly error: ApiError | null;
  readonly mayWrite: boolean;
}

/** The result of a test, and the next step. */
export function TestResult({ upstream, isBusy, result, error, mayWrite }: TestResultProps) {
  const { t } = useText();
  const format = useFormat();
  if (isBusy) {
    return (
      <div className={classes['result']} role="status" aria-label={t('upstreams.testing')}>
        <Text fz="sm" c="dimmed">
          {t('upstreams.testing')}
        </Text>
        <Skeleton height={14} width="50%" mt="xs" />
      </div>
    );
  }
  if (error) return <ErrorNotice error={error} />;
  if (!result) return null;
  const { ok, status, models, asked } = result;
  if (asked === 'nothing') return <NoTest upstream={upstream} mayWrite={mayWrite} />;
  const time = format.duration(result.duration_ms);
  const method =
    asked === 'model_list'
      ? t('upstreams.testListed', { time, count: models.length })
      : t('upstreams.testResponded', { time });
  return (
    <section className={classes['result']} role="status">
      <div className={`${classes['verdict']} ${ok ? '' : classes['failed']}`}>
        {ok ? <CheckIcon /> : <WarningIcon />}
        <Title order={2} size="h3" c="var(--mantine-color-text)">
          {ok ? t('upstreams.testOk') : t('upstreams.testFailed')}
        </Title>
      </div>
      {ok ? <Text fz="sm">{method}</Text> : <Text fz="sm">{result.error}</Text>}
      {!ok && (
        <Text fz="xs" c="dimmed" mt={4}>
          {status === null
            ? t('upstreams.testNoStatus', { time })
            : t('upstreams.testStatus', { status: String(status), time })}
        </Text>
      )}
      {ok && models.length > 0 && mayWrite && <ListedModels upstream={upstream} test={result} />}
    </section>
  );
}

/** Some providers have no model list. They can be tested once a model has a route to them. */
function NoTest({ upstream, mayWrite }: Pick<TestResultProps, 'upstream' | 'mayWrite'>) {
  const { t } = useText();
  return (
    <section className={classes['result']} role="status">
      <Title order={2} size="h3">
        {t('upstreams.testNothing')}
      </Title>
      <Text fz="sm">{t('upstreams.testNothingText')}</Text>
      {mayWrite && (
        <ViewButton to="/app/operator/models" search={{ add: 'new', upstream }} mt="sm" size="xs">
          {t('upstreams.addModel')}
        </ViewButton>
      )}
    </section>
  );
}

const shownMax = 24;

function ListedModels({ upstream, test: result }: { readonly upstream: string; readonly test: UpstreamTest }) {
  const { t } = useText();
  const { models } = result;
  const [{ many }, change] = useFilters(['many']);
  const [search, setSearch] = useState('');
  const query = search.trim().toLowerCase();
  const matches = models.filter((model) => model.toLowerCase().includes(query));
  return (
    <div>
      <Text fz="sm" c="dimmed" mt="sm">
        {t('upstreams.testModelsHelp')}
      </Text>
      {models.length > 1 && (
        <Button mt="xs" size="xs" onClick={() => change({ many: '1' }, { as: 'step' })}>
          {t('upstreams.addMany')}
        </Button>
      )}
      {many !== undefined && <AddMany upstream={upstream} test={result} onClose={() => change({ many: undefined })} />}
      {models.length > shownMax && (
        <TextInput
          mt="xs"
          maw={320}
          aria-label={t('upstreams.searchModels')}
          placeholder={t('upstreams.searchModels')}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul className={classes['models']} aria-label={t('upstreams.testModels')}>
        {matches.slice(0, shownMax).map((model) => (
          <li key={model}>
            <Link to="/app/operator/models" search={{ add: model, upstream }} className={classes['model']}>
              {model}
            </Link>
          </li>
        ))}
      </ul>
      {matches.length > shownMax && (
        <Text fz="xs" c="dimmed" mt="xs">
          {t('upstreams.moreModels', { count: matches.length - shownMax })}
        </Text>
      )}
    </div>
  );
}
