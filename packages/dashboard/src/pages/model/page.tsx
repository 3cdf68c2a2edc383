import { Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { OwnModel, OwnModels } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Price } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PerformanceTable } from '../../components/performance.tsx';
import { BackLink, ViewAnchor, ViewButton } from '../../components/view-links.tsx';
import { ModelsIcon, PlaygroundIcon } from '../../icons.tsx';
import { snippetsOf } from '../../components/model-snippets.ts';
import { tierCondition } from '../../components/tier-condition.ts';
import { useFormat } from '../../text/format.ts';
import { type FixedTextKey, type Translate, useText } from '../../text/text.tsx';
import { ModelTags } from '../models/model-tags.tsx';
import { useModelLead } from '../usage/model-lead.tsx';
import { ownUsage } from '../usage/scope.ts';
import classes from './model.module.css';

/** One model: description, price, and code samples that call it. */
export default function ModelPage() {
  const { t } = useText();
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error, refetch } = useRead<OwnModels>('/account/v1/models');
  const model = data?.data.find((one) => one.id === id || one.aliases.includes(id));
  const lead = useModelLead({ scope: ownUsage, model: model?.id });
  // The usage is first on the page: shown later, it would move everything else.
  const isReady = lead !== undefined;
  const shown = isReady ? model : undefined;
  return (
    <>
      <BackLink to="/app/models">{t('models.all')}</BackLink>
      <PageHeader
        title={<span className={classes['id']}>{model?.id ?? id}</span>}
        description={shown && <ModelTags model={shown} />}
        actions={
          shown && (
            <ViewButton
              to="/app/playground"
              search={{ model: shown.id }}
              variant="default"
              leftSection={<PlaygroundIcon size={16} />}
            >
              {t('models.try')}
            </ViewButton>
          )
        }
      />
      {((!data && !error) || (model && !isReady)) && <Skeleton height={320} radius="lg" />}
      {!data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && !model && (
        <EmptyState
          icon={<ModelsIcon size={22} />}
          title={t('models.unknownTitle')}
          text={t('models.unknownText', { id })}
        />
      )}
      {shown && shown.description !== null && (
        <Text mb="lg" maw={720} className={classes['description']}>
          {shown.description}
        </Text>
      )}
      {isReady && lead !== null && <div className={classes['lead']}>{lead}</div>}
      {data && shown && (
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
                  model: shown.id,
                  surfaces: shown.surfaces,
                  endpoints: shown.endpoints,
                })}
              />
            </section>
            <section className={classes['addresses']}>
              <CopyField label={t('models.modelId')} value={shown.id} />
              {shown.surfaces.includes('openai') && (
                <CopyField label={t('models.chatAddress')} value={data.base_urls.openai} />
              )}
              {shown.surfaces.includes('anthropic') && (
                <CopyField label={t('models.messagesAddress')} value={data.base_urls.anthropic} />
              )}
            </section>
          </Stack>
          <Stack gap="lg" miw={0}>
            <ModelPrices model={shown} />
            <ModelPerformance model={shown} />
          </Stack>
        </div>
      )}
    </>
  );
}

/** The recent speed and uptime of a model. */
function ModelPerformance({ model }: { readonly model: OwnModel }) {
  const { t } = useText();
  return (
    <Card component="aside" aria-label={t('performance.title')}>
      <Title order={2} size="h3" mb="xs">
        {t('performance.title')}
      </Title>
      <PerformanceTable performance={model.performance} />
      <Text fz="sm" c="dimmed" mt="xs">
        {t('performance.help')}
      </Text>
    </Card>
  );
}

/** Other prices for long prompts and service levels. */
function PriceTiers({ tiers }: { readonly tiers: OwnModel['price']['tiers'] }) {
  const { t } = useText();
  const format = useFormat();
  return (
    <dl className={classes['facts']} aria-label={t('models.tiers')}>
      {tiers.map((tier) => (
        <Fact
          key={tierCondition(tier, { t, format })}
          name={tierCondition(tier, { t, format })}
          value={
            tier.prices ? (
              <>
                <Price amount={tier.prices.input} /> / <Price amount={tier.prices.output} />
              </>
            ) : (
              `× ${tier.factor}`
            )
          }
        />
      ))}
    </dl>
  );
}

/** The price and token limits of a model. */
function ModelPrices({ model }: { readonly model: OwnModel }) {
  const { t } = useText();
  const format = useFormat();
  const { price } = model;
  const tokens = (count: number | null) =>
    count === null ? t('common.unknown') : t('models.tokens', { count: format.number(count) });
  return (
    <Card component="aside" aria-label={t('models.facts')}>
      <Title order={2} size="h3">
        {t('models.prices')}
      </Title>
      <Text fz="sm" c="dimmed" mb="xs">
        {t('models.pricesPer')}
      </Text>
      <dl className={classes['facts']}>
        <Fact name={t('models.input')} value={<Price amount={price.input} />} />
        <Fact name={t('models.cachedInput')} value={<Price amount={price.cached_input} />} />
        <Fact name={t('models.cacheWrite5m')} value={<Price amount={price.cache_write_5m} />} />
        <Fact name={t('models.cacheWrite1h')} value={<Price amount={price.cache_write_1h} />} />
        <Fact name={t('models.output')} value={<Price amount={price.output} />} />
        {otherKinds
          .filter(({ kind, usual }) => Number(price[kind]) !== Number(price[usual]))
          .map(({ kind, word }) => (
            <Fact key={kind} name={t(word)} value={<Price amount={price[kind]} />} />
          ))}
        {Object.entries(price.provider_tools).map(([tool, amount]) => (
          <Fact key={tool} name={t('models.toolUses', { tool })} value={<Price amount={amount} />} />
        ))}
        {Object.entries(price.units).map(([unit, amount]) => (
          <Fact key={unit} name={unitName(unit, t)} value={<Price amount={amount} />} />
        ))}
      </dl>
      {price.tiers.length > 0 && <PriceTiers tiers={price.tiers} />}
      <Title order={2} size="h3" mt="lg" mb="xs">
        {t('models.facts')}
      </Title>
      <dl className={classes['facts']}>
        <Fact name={t('models.context')} value={tokens(model.context_window)} />
        <Fact name={t('models.maxOutput')} value={tokens(model.max_output_tokens)} />
        <Fact name={t('models.thinking')} value={t(model.thinking ? 'common.yes' : 'common.no')} />
        {model.reliability !== null && (
          <Fact name={t('models.reliability')} value={<Reliability share={model.reliability} />} />
        )}
        {model.aliases.length > 0 && <Fact name={t('models.aliases')} value={model.aliases.join(', ')} />}
      </dl>
    </Card>
  );
}

/** Kinds of tokens that are listed only if they have a price of their own. */
const otherKinds = [
  { kind: 'cache_write_30m', usual: 'cache_write_5m', word: 'models.cacheWrite30m' },
  { kind: 'cache_write_12h', usual: 'cache_write_1h', word: 'models.cacheWrite12h' },
  { kind: 'input_audio', usual: 'input', word: 'request.kindInputAudio' },
  { kind: 'input_image', usual: 'input', word: 'request.kindInputImage' },
  { kind: 'reasoning', usual: 'output', word: 'request.kindReasoning' },
  { kind: 'output_audio', usual: 'output', word: 'request.kindOutputAudio' },
] as const;

const units: Readonly<Record<string, FixedTextKey>> = {
  image: 'models.unitImage',
  second: 'models.unitSecond',
  character: 'models.unitCharacter',
  request: 'models.unitRequest',
};

function unitName(unit: string, t: Translate): string {
  const key = units[unit];
  return key ? t(key) : unit;
}

function Reliability({ share }: { readonly share: number }) {
  const { t } = useText();
  const format = useFormat();
  return <span title={t('models.reliabilityHelp')}>{format.percent(share)}</span>;
}

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <div className={classes['fact']}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
