import type { Statement } from '../../api/wire.ts';
import { Money } from '../../components/money.tsx';
import { useText } from '../../text/text.tsx';
import classes from './statement.module.css';

/** From the opening to the closing balance: one row per step, charges by model. */
export function Sums({ statement }: { readonly statement: Statement }) {
  const { t } = useText();
  const credits = [
    ['top_ups', t('billing.kind_top_up')],
    ['grants', t('billing.kind_grant')],
    ['refunds', t('billing.kind_refund')],
    ['adjustments', t('billing.kind_adjust')],
    ['reversals', t('billing.kind_reversal')],
  ] as const;
  const moved = credits.filter(([name]) => Number(statement[name]) !== 0);
  return (
    <table className={classes['sums']} aria-label={t('billing.summary')}>
      <tbody>
        <Row label={t('billing.opening')} amount={statement.opening} isEdge />
        {moved.map(([name, label]) => (
          <Row key={name} label={label} amount={statement[name]} />
        ))}
        <Row label={t('billing.charges')} amount={statement.charges} />
        {statement.models.map(({ model, amount }) => (
          <Row key={model ?? ''} label={model ?? t('billing.otherCharges')} amount={amount} isModel />
        ))}
        <Row label={t(statement.is_closed ? 'billing.closing' : 'billing.soFar')} amount={statement.closing} isEdge />
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly label: string;
  readonly amount: string;
  readonly isEdge?: boolean;
  readonly isModel?: boolean;
}

function Row({ label, amount, isEdge = false, isModel = false }: RowProps) {
  const look = isEdge ? classes['edge'] : isModel ? classes['model'] : undefined;
  return (
    <tr className={look}>
      <th scope="row">{label}</th>
      <td>
        <Money amount={amount} signed={!isEdge} exact />
      </td>
    </tr>
  );
}
