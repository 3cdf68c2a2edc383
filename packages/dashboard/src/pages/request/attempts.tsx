import { Text, Title } from '@mantine/core';
import { asPages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { caseName } from '../../components/names.ts';
import { useFormat } from '../../text/format.ts';
import { type Translate, useText } from '../../text/text.tsx';
import { StatusLabel } from '../../components/status.tsx';
import { type AttemptStep, providerOf, useProviderName } from './detail.ts';

type NumberedAttempt = AttemptStep & { readonly number: number };

export interface AttemptsProps {
  readonly attempts: readonly AttemptStep[];
  /** The answer of the last attempt broke off. */
  readonly isBroken: boolean;
}

/** The attempts of a request, in order. */
export function Attempts({ attempts, isBroken }: AttemptsProps) {
  const { t } = useText();
  const format = useFormat();
  const nameOf = useProviderName();
  if (attempts.length === 0) return null;
  const columns: Column<NumberedAttempt>[] = [
    {
      key: 'provider',
      header: t('request.provider'),
      cell: (step) => (
        <div>
          {step.number}. {nameOf(providerOf(step))}
          {'upstream' in step && (
            <Text fz="xs" c="dimmed">
              {step.upstream_model}
              {step.credential !== null && ` · ${t('request.credential', { number: step.credential + 1 })}`}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'result',
      header: t('request.result'),
      cell: (step) => <Result step={step} isBroken={isBroken && step.number === attempts.length} />,
    },
    {
      key: 'waited',
      header: t('request.waited'),
      align: 'right',
      cell: (step) =>
        format.duration(step.wait_ms) +
        (step.position ? ` (${t('request.aheadInQueue', { count: step.position })})` : ''),
    },
    { key: 'sent', header: t('request.sentAfter'), align: 'right', cell: (step) => format.duration(step.began_ms) },
    {
      key: 'first',
      header: t('request.firstByteAfter'),
      align: 'right',
      cell: (step) => (step.first_event_ms === null ? '–' : format.duration(step.first_event_ms)),
    },
  ];
  return (
    <section aria-label={t('request.attempts')}>
      <Title order={2} size="h3" mb="xs">
        {t('request.attempts')}
      </Title>
      <DataTable
        label={t('request.attempts')}
        columns={columns}
        pages={asPages({ data: attempts.map((step, index) => ({ ...step, number: index + 1 })) })}
        rowKey={({ number }) => String(number)}
        empty={null}
      />
    </section>
  );
}

function Result({ step, isBroken }: { readonly step: AttemptStep; readonly isBroken: boolean }) {
  const { t } = useText();
  const status = 'upstream' in step ? step.status : step.status_class;
  const isAnswer = step.first_event_ms !== null;
  return (
    <div>
      <StatusLabel tone={isAnswer && !isBroken ? 'good' : 'bad'}>
        {status !== null && `${status} · `}
        {t(resultWords())}
      </StatusLabel>
      {'upstream' in step && (step.reason ?? step.error_case) !== null && (
        <Text fz="xs" c="dimmed" mt={4}>
          {[step.error_case && caseName(step.error_case, t), step.reason && reasonWords(step.reason, t)]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      )}
    </div>
  );

  function resultWords() {
    if (isAnswer) return isBroken ? 'request.interruptedResponse' : 'request.servedResponse';
    return status === null ? 'request.noResponse' : 'request.failed';
  }
}

/** The gateway stores reasons in English; this translates the most frequent form. */
function reasonWords(reason: string, t: Translate): string {
  const [, status, code] = /^answered (\d+)(?: \((.*)\))?$/.exec(reason) ?? [];
  if (status === undefined) return reason;
  return t(code === undefined ? 'request.returnedStatus' : 'request.returnedStatusCode', { status, code: code ?? '' });
}
