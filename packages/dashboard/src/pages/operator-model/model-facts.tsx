import { Badge, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Resource } from '../../api/resource.ts';
import type { CatalogModel, NewModel } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { PerformanceTable } from '../../components/performance.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { fallbackWords } from '../routes/constraint-fields.tsx';
import { defaultSurfaces, surfaceName, untranslatableWords } from '../routes/model-values.ts';
import {
  cacheWords,
  constraintNames,
  constraintValues,
  constraintWords,
  enforcerWords,
  fallbackReasons,
  fallbackValues,
} from '../routes/constraint-values.ts';
import { ConstraintResults, ToolCallShare } from '../routes/tool-calls.tsx';
import { PriceFacts } from './price-facts.tsx';
import classes from '../upstream/upstream.module.css';

/** The price and capabilities of a model. */
export function ModelFacts({ entry: { name, spec } }: { readonly entry: Resource<NewModel> }) {
  const { t } = useText();
  const format = useFormat();
  const catalog = useRead<{ readonly data: readonly CatalogModel[] }>('/admin/v1/catalog/models');
  const inUse = catalog.data?.data.find(({ id }) => id === name);
  const calls = inUse?.tool_calls;
  const { enforcers, cache } = constraintValues(spec);
  const tokens = (count: number | undefined, otherwise: string) =>
    count === undefined ? otherwise : format.number(count);
  return (
    <>
      {inUse && (
        <section>
          <Title order={2} mb="md">
            {t('performance.title')}
          </Title>
          <PerformanceTable performance={inUse.performance} />
        </section>
      )}
      <section>
        <Title order={2} mb="md">
          {t('routes.partPrice')}
        </Title>
        <PriceFacts spec={spec} />
      </section>
      <section>
        <Title order={2} mb="md">
          {t('routes.partCapabilities')}
        </Title>
        <dl className={classes['facts']}>
          <Fact name={t('routes.surfaces')}>
            <Group gap={4}>
              {(spec.surfaces ?? defaultSurfaces).map((surface) => (
                <Badge key={surface} color="gray">
                  {surfaceName(surface, t)}
                </Badge>
              ))}
            </Group>
          </Fact>
          <Fact name={t('routes.context')}>{tokens(spec.context_window, t('routes.unchecked'))}</Fact>
          <Fact name={t('routes.maxOutput')}>{tokens(spec.max_output_tokens, t('routes.unlimited'))}</Fact>
          <Fact name={t('routes.thinking')}>{spec.thinking ? t('common.yes') : t('common.no')}</Fact>
          <Fact name={t('routes.toolFormat')}>{spec.tool_format ?? t('routes.asFamily')}</Fact>
          <Fact name={t('routes.repair')}>{spec.repair_arguments ? t('common.yes') : t('common.no')}</Fact>
          <Fact name={t('routes.untranslatable')}>{t(untranslatableWords[spec.untranslatable ?? 'hints'])}</Fact>
          <Fact name={t('routes.continues')}>{spec.continue === 'prefill' ? t('common.yes') : t('common.no')}</Fact>
          {fallbackReasons.map((reason) => (
            <Fact key={reason} name={t(fallbackWords[reason])}>
              {fallbackValues(spec.fallbacks)[reason].join(', ') || t('routes.noFallback')}
            </Fact>
          ))}
          <Fact name={t('routes.cache')}>{t(cacheWords[cache])}</Fact>
          {constraintNames
            .filter((constraint) => enforcers[constraint] !== 'auto')
            .map((constraint) => (
              <Fact key={constraint} name={t(constraintWords[constraint])}>
                {t(enforcerWords[enforcers[constraint]])}
              </Fact>
            ))}
          <Fact name={t('routes.constraintResults')}>
            <ConstraintResults constraints={inUse?.constraints} />
          </Fact>
          <Fact name={t('routes.toolCalls')}>
            <ToolCallShare calls={calls} />
            {calls && calls.seen > 0 && (
              <Text fz="xs" c="dimmed">
                {t('routes.toolCallsHelp', { seen: calls.seen, repaired: calls.repaired, failed: calls.failed })}
              </Text>
            )}
          </Fact>
        </dl>
      </section>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
