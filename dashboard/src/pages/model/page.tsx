import { Anchor, Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import type { CallableModels } from '../../api/owner-documents.ts';
import { useRead } from '../../api/queries.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ModelsIcon, PlaygroundIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { ModelTags } from '../models/model-tags.tsx';
import { snippetsOf } from '../models/snippets.ts';
import classes from './model.module.css';
import { ModelPrices } from './model-prices.tsx';

/** One model: what it is, what it costs, and code that calls it as it stands. */
export default function ModelPage() {
  const { t } = useText();
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error, refetch } = useRead<CallableModels>('/account/v1/models');
  const model = data?.data.find((one) => one.id === id || one.aliases.includes(id));
  return (
    <>
      <Anchor renderRoot={(props) => <Link to="/app/models" {...props} />} fz="sm" mb="xs" display="inline-block">
        ← {t('models.all')}
      </Anchor>
      <PageHeader
        title={<span className={classes['id']}>{model?.id ?? id}</span>}
        description={model && <ModelTags model={model} />}
        actions={
          model && (
            <Button
              variant="default"
              leftSection={<PlaygroundIcon size={16} />}
              renderRoot={(props) => <Link to="/app/playground" search={{ model: model.id }} {...props} />}
            >
              {t('models.try')}
            </Button>
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
      {data && model && (
        <div className={classes['columns']}>
          <Stack gap="xl" miw={0}>
            <section>
              <Title order={2} mb={4}>
                {t('models.useIt')}
              </Title>
              <Text c="dimmed" mb="sm">
                {t('models.useItText')}{' '}
                <Anchor
                  renderRoot={(props) => <Link to="/app/keys" search={{ new: 'key' }} {...props} />}
                  underline="always"
                >
                  {t('models.makeKey')}
                </Anchor>
              </Text>
              <CodeBlock
                remembered="snippet"
                snippets={snippetsOf({ baseUrls: data.base_urls, model: model.id, surfaces: model.surfaces })}
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
          <ModelPrices model={model} />
        </div>
      )}
    </>
  );
}
