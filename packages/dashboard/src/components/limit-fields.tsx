import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { useSession } from '../api/session.ts';
import type { SpendLimit } from '../api/wire.ts';
import { usePageText } from '../text/page-text.ts';
import type { Translate } from '../text/text.tsx';
import { amountProblem } from './input-problems.ts';
import { texts } from './limit-texts.ts';

/** The limits on spend as a form edits them: an amount for each period, and shares in percent. */
export interface LimitValues {
  readonly day: string;
  readonly week: string;
  readonly month: string;
  readonly total: string;
  readonly notify: string;
}

const periods = ['day', 'week', 'month', 'total'] as const;
const labels = { day: 'perDay', week: 'perWeek', month: 'perMonth', total: 'inTotal' } as const;

export function limitValues(limits: readonly SpendLimit[]): LimitValues {
  const amountOf = (period: SpendLimit['period']) => limits.find((limit) => limit.period === period)?.amount ?? '';
  const shares = limits.find(({ notify_at: shares }) => shares?.length)?.notify_at ?? [];
  const notify = shares.map((share) => String(Math.round(Number(share) * 100))).join(', ');
  return { day: amountOf('day'), week: amountOf('week'), month: amountOf('month'), total: amountOf('total'), notify };
}

export function limitsOf(values: LimitValues): SpendLimit[] {
  const shares = percents(values.notify).map((percent) => (percent === 100 ? '1' : String(percent / 100)));
  return periods
    .filter((period) => values[period].trim() !== '')
    .map((period) => ({ amount: values[period].trim(), period, ...(shares.length > 0 && { notify_at: shares }) }));
}

function percents(text: string): number[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(Number);
}

/** The problem of the first invalid field, or null. */
export function limitProblems(values: LimitValues, t: Translate, badShare: string): Partial<LimitValues> {
  const amounts = periods.flatMap((period) => {
    const problem = values[period].trim() === '' ? null : amountProblem(values[period], false, t);
    return problem === null ? [] : [[period, problem] as const];
  });
  const isBad = percents(values.notify).some((percent) => !Number.isInteger(percent) || percent < 1 || percent > 100);
  return { ...Object.fromEntries(amounts), ...(isBad && { notify: badShare }) };
}

export interface LimitFieldsProps {
  readonly values: LimitValues;
  readonly problems: Partial<LimitValues>;
  readonly onChange: (values: LimitValues) => void;
}

export function LimitFields({ values, problems, onChange }: LimitFieldsProps) {
  const p = usePageText(texts);
  const { currency } = useSession();
  const field = (name: keyof LimitValues) => ({
    value: values[name],
    error: problems[name],
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onChange({ ...values, [name]: currentTarget.value }),
  });
  return (
    <div role="group" aria-label={p('limits')}>
      <Text fz="sm" fw={500}>
        {p('limits')}
      </Text>
      <Text fz="xs" c="dimmed" mb="xs">
        {p('help', { currency })}
      </Text>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm">
        {periods.map((period) => (
          <TextInput
            key={period}
            label={p(labels[period])}
            placeholder={p('none')}
            inputMode="decimal"
            autoComplete="off"
            {...field(period)}
          />
        ))}
      </SimpleGrid>
      <TextInput mt="sm" label={p('notifyAt')} description={p('notifyHelp')} autoComplete="off" {...field('notify')} />
    </div>
  );
}

/** Text for a conflict between two changes of limits. */
export function limitsText(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  return (value as readonly SpendLimit[]).map(({ amount, period }) => `${amount} / ${period}`).join(', ') || '–';
}
