import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { OwnModels } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { BackLink, ViewAnchor, ViewButton } from '../../components/view-links.tsx';
import { ModelsIcon, PlaygroundIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { ModelTags } from '../models/model-tags.tsx';
import { snippetsOf } from '../models/snippets.ts';
import classes from './model.module.css';
import { ModelPerformance } from './model-performance.tsx';
import { ModelPrices } from './model-prices.tsx';

/** One model: description, price, and code samples that call it. */
export default function ModelPage() {
  const { t } = useText();
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error, refetch } = useRead<OwnModels>('/account/v1/models');
  const model = data?.data.find((one) => one.id === id || one.aliases.includes(id));
  return (
    <>
      <BackLink to="/app/models">{t('models.all')}</BackLink>
      <PageHeader
        title={<span className={classes['id']}>{model?.id ?? id}</span>}
        description={model && <ModelTags model={model} />}
        actions={
          model && (
            <ViewButton
              to="/app/playground"
              search={{ model: model.id }}
              variant="default"
              leftSection={<PlaygroundIcon size={16} />}
            >
              {t('models.try')}
            </ViewButton>
          )
        }
      />
      {!data && !error && <Skeleton height={320} radius="lg" />}
      {!data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && !model && (
        <EmptyState
          icon={<ModelsIcon size={22} />}
          title={t('models.unknownTitle')}
          text={t('models.unknownText', { id })}
        />
      )}
      {data && model && model.description !== null && (
        <Text mb="lg" maw={720} className={classes['description']}>
          {model.description}
        </Text>
      )}
      {data && model && (
        <div className={classes['columns']}>
          <Stack gap="xl" miw={0}>
            <section>
              <Title order={2} mb={4}>
                {t('models.useIt')}
              </Title>
              <Text c="dimmed" mb="sm">
                {t('models.useItText')}{' '}
                <ViewAnchor to="/app/keys" search={{ new: 'key' }} underline="always">
                  {t('models.makeKey')}
                </ViewAnchor>
              </Text>
              <CodeBlock
                remembered="snippet"
                snippets={snippetsOf({
                  baseUrls: data.base_urls,
                  model: model.id,
                  surfaces: model.surfaces,
                  endpoints: model.endpoints,
                })}
              />
            </section>
            <section className={classes['addresses']}>
              <CopyField label={t('models.modelId')} value={model.id} />
              {model.surfaces.includes('openai') && (
                <CopyField label={t('models.chatAddress')} value={data.base_urls.openai} />
              )}
              {model.surfaces.includes('anthropic') && (
                <CopyField label={t('models.messagesAddress')} value={data.base_urls.anthropic} />
              )}
            </section>
          </Stack>
          <Stack gap="lg" miw={0}>
            <ModelPrices model={model} />
            <ModelPerformance model={model} />
          </Stack>
        </div>
      )}
    </>
  );
}
