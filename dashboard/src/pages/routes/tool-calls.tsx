import type { ToolCalls } from '../../api/wire.ts';
import { Dash } from '../../components/money.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
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
