import { Card, Text, Title } from '@mantine/core';
import type { CostLine, OwnRequestDetail } from '../../api/wire.ts';
import { actorText, kindName, reasonText } from '../../components/ledger-words.ts';
import { Money } from '../../components/money.tsx';
import { When } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import classes from './request.module.css';
import type { Detail } from './detail.ts';

const kinds: Readonly<Record<CostLine['kind'], FixedTextKey>> = {
  input: 'request.kindInput',
  cached_input: 'request.kindCached',
  cache_write_5m: 'request.kindWrite5m',
  cache_write_30m: 'request.kindWrite30m',
  cache_write_1h: 'request.kindWrite1h',
  cache_write_12h: 'request.kindWrite12h',
  input_audio: 'request.kindInputAudio',
  input_image: 'request.kindInputImage',
  output: 'request.kindOutput',
  reasoning: 'request.kindReasoning',
  output_audio: 'request.kindOutputAudio',
};

const units = {
  'unit:image': 'request.unitImages',
  'unit:second': 'request.unitSeconds',
  'unit:character': 'request.unitCharacters',
  'unit:request': 'request.unitRequests',
} as const satisfies Readonly<Record<string, FixedTextKey>>;

/** Tokens by kind, and how they add up to the cost. */
export function Cost({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const format = useFormat();
  const lines = detail.cost_lines.filter(({ tokens }) => tokens > 0);
  const hasLines = lines.length > 0 || detail.tool_lines.length > 0;
  return (
    <Card component="section" aria-label={t('request.costTitle')}>
      <Title order={2} size="h3">
        {t('request.costTitle')}
      </Title>
      <Text fz="sm" c="dimmed" mb="sm">
        {t(hasLines ? 'request.costHelp' : detail.cost === null ? 'request.noCost' : 'request.costUnknown')}
      </Text>
      {hasLines && (
        <table className={classes['table']}>
          <thead>
            <tr>
              <th scope="col">{t('request.kind')}</th>
              <th scope="col" className="number">
                {t('request.tokens')}
              </th>
              <th scope="col" className="number">
                {t('request.perMillion')}
              </th>
              <th scope="col" className="number">
                {t('request.amount')}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ kind, model, tokens, per_million: price, amount }) => (
              <tr key={`${kind} ${price} ${model}`}>
                <th scope="row">
                  {t(kinds[kind])}
                  {model !== undefined && (
                    <Text fz="xs" c="dimmed" fw={400}>
                      {model}
                    </Text>
                  )}
                  {kind === 'output' && Boolean(detail.reasoning_tokens) && (
                    <Text fz="xs" c="dimmed" fw={400}>
                      {t('request.reasoningTokens', { count: detail.reasoning_tokens ?? 0 })}
                    </Text>
                  )}
                </th>
                <td className="number">{format.number(tokens)}</td>
                <td className="number">
                  <Money amount={price} exact />
                </td>
                <td className="number">
                  <Money amount={amount} exact />
                </td>
              </tr>
            ))}
            {detail.tool_lines.map(({ tool, uses, per_thousand: price, amount }) => (
              <tr key={tool}>
                <th scope="row">
                  {tool in units ? t(units[tool as keyof typeof units]) : t('request.toolUses', { tool })}
                </th>
                <td className="number">{format.number(uses)}</td>
                <td className="number">
                  <Money amount={price} exact /> {t('request.perThousand')}
                </td>
                <td className="number">
                  <Money amount={amount} exact />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            {detail.price_factor !== null && Number(detail.price_factor) !== 1 && (
              <tr>
                <th scope="row" colSpan={3}>
                  {t('request.priceFactor')}
                </th>
                <td className="number">× {detail.price_factor}</td>
              </tr>
            )}
            <tr>
              <th scope="row" colSpan={3}>
                {t('request.sum')}
              </th>
              <td className="number">
                <Money amount={detail.cost} exact />
              </td>
            </tr>
          </tfoot>
        </table>
      )}
      {!hasLines && <Tokens detail={detail} />}
      {detail.usage_source !== null && (
        <Text fz="xs" c="dimmed" mt="sm">
          {t(sourceTexts[detail.usage_source])}
        </Text>
      )}
    </Card>
  );
}

const sourceTexts = {
  upstream: 'request.countedUpstream',
  counted: 'request.countedHere',
  estimated: 'request.estimatedHere',
} as const satisfies Record<NonNullable<Detail['usage_source']>, FixedTextKey>;

/** Only the token counts, if there is no price. */
function Tokens({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const format = useFormat();
  const counts: readonly (readonly [FixedTextKey, number | null])[] = [
    ['request.tokensIn', detail.prompt_tokens],
    ['request.tokensCached', detail.cached_tokens],
    ['request.tokensWrittenShort', detail.cache_write_5m_tokens],
    ['request.tokensWrittenLong', detail.cache_write_1h_tokens],
    ['request.tokensOut', detail.completion_tokens],
    ['request.tokensThinking', detail.reasoning_tokens],
  ];
  const known = counts.flatMap(([name, count]) => (count === null || count === 0 ? [] : [{ name, count }]));
  if (known.length === 0) return null;
  return (
    <table className={classes['table']}>
      <tbody>
        {known.map(({ name, count }) => (
          <tr key={name}>
            <th scope="row">{t(name)}</th>
            <td className="number">{format.number(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The ledger entries of a request. */
export function Ledger({ lines }: { readonly lines: OwnRequestDetail['ledger'] }) {
  const { t } = useText();
  return (
    <Card component="section" aria-label={t('request.ledger')}>
      <Title order={2} size="h3" mb="xs">
        {t('request.ledger')}
      </Title>
      {lines.length === 0 ? (
        <Text fz="sm" c="dimmed">
          {t('request.ledgerEmpty')}
        </Text>
      ) : (
        <table className={classes['table']}>
          <thead>
            <tr>
              <th scope="col">{t('request.when')}</th>
              <th scope="col">{t('request.what')}</th>
              <th scope="col" className="number">
                {t('request.amount')}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ at, kind, amount, by, reason }) => (
              <tr key={`${at}${kind}`}>
                <td>
                  <When at={at} as="date-time" />
                </td>
                <td>
                  {kindName(kind, t)}
                  <Text fz="xs" c="dimmed">
                    {[actorText(by, t), reasonText(reason, t)].filter(Boolean).join(' · ')}
                  </Text>
                </td>
                <td className="number">
                  <Money amount={amount} signed />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
