import { Text } from '@mantine/core';
import type { CatalogModel, ToolCalls } from '../../api/wire.ts';
import { Dash } from '../../components/money.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { type ConstraintName, constraintWords } from './constraint-values.ts';
import classes from './routes.module.css';

/** The share of a model's tool calls that could be used, including repaired ones. A dash before the first call. */
export function ToolCallShare({ calls }: { readonly calls: ToolCalls | null | undefined }) {
  const { t } = useText();
  const format = useFormat();
  if (!calls || calls.seen === 0) return <Dash />;
  const { seen, repaired, failed } = calls;
  const share = (seen - failed) / seen;
  return (
    <span
      title={t('routes.toolCallsHelp', { seen, repaired, failed })}
      className={share < 0.9 ? classes['bad'] : undefined}
    >
      {format.percent(share)}
    </span>
  );
}

/** How often the constraints that the gateway enforces were met. A dash before the first one. */
export function ConstraintResults({ constraints }: { readonly constraints: CatalogModel['constraints'] | undefined }) {
  const { t } = useText();
  const format = useFormat();
  if (!constraints || constraints.length === 0) return <Dash />;
  return constraints.map(({ constraint, seen, met, repaired, reprompted, violated }) => {
    const share = (seen - violated) / seen;
    const word = constraintWords[constraint as ConstraintName];
    return (
      <div key={constraint}>
        {word ? t(word) : constraint}{' '}
        <span className={share < 0.9 ? classes['bad'] : undefined}>{format.percent(share)}</span>
        <Text fz="xs" c="dimmed">
          {t('routes.constraintCounts', { seen, met, repaired, reprompted, violated })}
        </Text>
      </div>
    );
  });
}
