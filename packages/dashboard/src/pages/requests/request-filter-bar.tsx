import { useDebouncedState } from '@mantine/hooks';
import type { Query } from '../../api/call.ts';
import { useModels } from '../../api/own-account.ts';
import { type Page, useAllRows, useRead } from '../../api/queries.ts';
import type { Resource } from '../../api/resource.ts';
import type { Account, Key } from '../../api/wire.ts';
import { DateField, FilterBar, type FilterBarProps, type FilterField } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { caseName } from '../../components/names.ts';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import { momentOf, wallTime } from '../../text/wall-clock.ts';
import { errorCases } from '../request/remedy.ts';
import { filterNames } from './request-query.ts';
import type { Scope } from './scope.ts';

const statuses: readonly (readonly [string, FixedTextKey])[] = [
  ['2xx', 'requests.statusOk'],
  ['4xx', 'requests.statusRejected'],
  ['5xx', 'requests.statusServerError'],
  ['failed', 'requests.statusFailed'],
];

const ranges: readonly (readonly [string, FixedTextKey])[] = [
  ['hour', 'requests.rangeHour'],
  ['day', 'requests.rangeDay'],
  ['week', 'requests.rangeWeek'],
  ['month', 'requests.rangeMonth'],
  ['custom', 'requests.rangeCustom'],
];

const absentFields: readonly (readonly [string, FixedTextKey])[] = [
  ['model', 'usage.noModel'],
  ['user_id', 'requests.noUser'],
  ['upstream', 'requests.noUpstream'],
  ['error_case', 'usage.noError'],
  ['tags', 'usage.noTag'],
];

interface RequestFilterBarProps extends Pick<FilterBarProps, 'tools' | 'sheet'> {
  readonly scope: Scope;
}

/** The filters of the list, stored in the URL. */
export function RequestFilterBar({ scope, tools, sheet }: RequestFilterBarProps) {
  const { t } = useText();
  const { data: models } = useModels({ enabled: !scope.isOperator });
  const accounts = useAllRows<Account>('/admin/v1/accounts', scope.isOperator);
  const upstreams = useAllRows<Resource>('/admin/v1/upstreams', scope.isOperator);
  const catalog = useAllRows<Resource>('/admin/v1/models', scope.isOperator);
  const [chosen, change] = useFilters(filterNames);
  const { account, upstream, status, error_case, range, key, model, member, without, since, until } = chosen;
  // If an account is chosen, offer only its keys: the list of all keys contains only the newest.
  const choice = useKeyChoice(scope, accounts.data?.find(({ name, id }) => name === account || id === account)?.id);
  const modelIds = scope.isOperator ? catalog.data?.map(({ name }) => name) : models?.data.map(({ id }) => id);
  const labelled = (options: readonly (readonly [string, FixedTextKey])[], value: string | undefined) =>
    withChosen(
      options.map(([each, text]) => ({ value: each, label: t(text) })),
      value,
    );
  const keys = [...choice.names].map(([value, label]) => ({ value, label }));
  const fields: FilterField[] = [
    ...(scope.isOperator
      ? [
          {
            name: 'account',
            label: t('requests.account'),
            width: 140,
            options: withChosen(named(accounts.data?.map(({ name }) => name) ?? []), account),
          },
          {
            name: 'upstream',
            label: t('requests.upstream'),
            width: 130,
            options: withChosen(named(upstreams.data?.map(({ name }) => name) ?? []), upstream),
          },
        ]
      : []),
    {
      name: 'key',
      label: t('requests.key'),
      width: 112,
      options: withChosen(keys, key),
      onSearch: choice.search,
    },
    {
      name: 'model',
      label: t('requests.model'),
      width: 120,
      ...(modelIds && { options: withChosen(named(modelIds), model) }),
    },
    { name: 'user_id', label: t('requests.userId'), width: 112 },
    { name: 'tag', label: t('usage.byTag'), width: 96 },
    { name: 'status', label: t('requests.status'), options: labelled(statuses, status), width: 104 },
    {
      name: 'error_case',
      label: t('requests.errorCase'),
      options: withChosen(
        errorCases.map((value) => ({ value, label: caseName(value, t) })),
        error_case,
      ),
      width: 112,
    },
    // Shown only if set, by a link from the usage page.
    ...(member === undefined ? [] : [{ name: 'member', label: t('usage.byMember'), options: withChosen([], member) }]),
    ...(without === undefined
      ? []
      : [{ name: 'without', label: t('requests.showOnly'), options: labelled(absentFields, without) }]),
    { name: 'range', label: t('requests.range'), options: labelled(ranges, range), width: 128 },
  ];
  return (
    <FilterBar fields={fields} otherNames={['since', 'until']} tools={tools} sheet={sheet}>
      {range === 'custom' && (
        <>
          <Moment label={t('requests.since')} value={since} onChange={(at) => change({ since: at })} />
          <Moment label={t('requests.until')} value={until} onChange={(at) => change({ until: at })} />
        </>
      )}
    </FilterBar>
  );
}

type Option = NonNullable<FilterField['options']>[number];

function named(names: readonly string[]): readonly Option[] {
  return names.map((name) => ({ value: name, label: name }));
}

/** The options, plus the value in the URL if it is not one of them. */
function withChosen(options: readonly Option[], chosen: string | undefined): readonly Option[] {
  if (chosen === undefined || options.some(({ value }) => value === chosen)) return options;
  return [...options, { value: chosen, label: chosen }];
}

interface MomentProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (iso: string | undefined) => void;
}

/** A time in the user's time zone, stored in the URL as a UTC timestamp. */
function Moment({ label, value, onChange }: MomentProps) {
  const { timeZone } = useText();
  return (
    <DateField
      type="datetime-local"
      aria-label={label}
      title={label}
      value={value === undefined ? '' : wallTime(value, timeZone)}
      onChange={(written) => onChange(momentOf(written, timeZone)?.toISOString())}
    />
  );
}

const keysMax = 200;

/** The newest keys, and, if there are more, the keys whose name contains the typed text. */
function useKeyChoice({ isOperator }: Scope, account: string | undefined) {
  const [typed, setTyped] = useDebouncedState('', 300);
  const newest = useNames(isOperator, { account });
  const found = useNames(isOperator, { account, q: typed }, newest.size >= keysMax && typed !== '');
  const names = new Map([...newest, ...found]);
  const search = (text: string) => {
    const query = text.trim().slice(0, 64);
    // The field also reports the name of the chosen key; that is not a search.
    if (![...names.values()].includes(query)) setTyped(query);
  };
  return { names, search };
}

function useNames(isOperator: boolean, part: Query, enabled = true): ReadonlyMap<string, string> {
  const path = isOperator ? '/admin/v1/keys' : '/account/v1/keys';
  const query = { limit: keysMax, order: 'newest', temporary: 'true', ...part };
  const { data } = useRead<Page<Key>>(path, query, { staleTime: 60_000, enabled });
  return new Map((data?.data ?? []).map(({ id, name }) => [id, name]));
}
