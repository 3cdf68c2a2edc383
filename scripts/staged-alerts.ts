import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse, stringify } from 'yaml';

// The alert rules for the pages of docs/faults, on which an alert fires and ends within seconds:
//   node scripts/staged-alerts.ts firing|over NAME…   waits until the Prometheus at PROMETHEUS_URL reports it

/** Every time window, such as `[5m]`, is this long, and no alert has a `for`. Prometheus scrapes once a second. */
const usualWindow = '10s';

/** The other differences from deploy/views/rules.yaml. The rest of each expression is the same. */
const scaled: Readonly<Record<string, Scaled>> = {
  ChatGatewayRestarts: { window: '30s', bound: '1', reason: 'Four starts take longer than that.' },
  ChatGatewayLongWaits: { bound: '1', reason: 'Waits of 30 s take too long.' },
  ChatGatewayChargesPending: { bound: '3', reason: 'A thousand answers take too long.' },
  ChatGatewayJournalGrows: { bound: '1e5', reason: 'A gigabyte takes too long. The file in use stays: up to 64 KiB.' },
  ChatGatewayUnfair: { endsWithoutFigure: true, reason: 'Without a queue there is no fairness to measure.' },
};

interface Scaled {
  readonly window?: string;
  readonly bound?: string;
  /** Whether the alert is also over if its figure has no value. */
  readonly endsWithoutFigure?: true;
  readonly reason: string;
}

const waitMs = 200_000;
const pauseMs = 300;

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly annotations?: { readonly summary: string; readonly runbook_url: string };
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

export type AlertState = 'firing' | 'over';

/** An alert is a figure with a bound. */
const figureAndBound = /^(.+) (>|<|==) ([\d.e]+)$/s;

export function ruleGroups(): readonly RuleGroup[] {
  const file = join(import.meta.dirname, '../deploy/views/rules.yaml');
  return (parse(readFileSync(file, 'utf8')) as { groups: readonly RuleGroup[] }).groups;
}

/** The figure and the bound of an alert. Throws if its expression is something else. */
export function partsOf({ expr }: Rule): { figure: string; comparison: string; bound: string } {
  const [, figure, comparison, bound] = figureAndBound.exec(expr) ?? [];
  if (figure === undefined || comparison === undefined || bound === undefined) throw new Error(`no bound in ${expr}`);
  return { figure, comparison, bound };
}

/** The alerts in a block of a page: their names as comments, each before its expression. */
export function alertsIn(block: string): readonly { readonly name: string; readonly expr: string }[] {
  return [...block.matchAll(/^# (\w+)\n(.+)$/gm)].map(([, name = '', expr = '']) => ({ name, expr }));
}

/** The rules as YAML, with the short windows and bounds. */
export function stagedRules(): string {
  const groups = ruleGroups().map(({ name, rules }) => ({ name, rules: rules.map(stagedRule) }));
  return stringify({ groups });
}

function stagedRule({ for: _for, ...rule }: Rule): Rule {
  const { window = usualWindow, bound } = scaled[rule.alert ?? ''] ?? {};
  const { figure, comparison } = rule.alert === undefined || bound === undefined ? {} : partsOf(rule);
  const expr = figure === undefined ? rule.expr : `${figure} ${comparison} ${bound}`;
  return { ...rule, expr: expr.replaceAll(/\[\d+m\]/g, `[${window}]`) };
}

/** Waits until each of these alerts has fired, or until all of them are over at the same time. */
async function waitFor(state: AlertState, names: readonly string[], url: string): Promise<void> {
  const rules = (parse(stagedRules()) as { groups: readonly RuleGroup[] }).groups.flatMap((group) => group.rules);
  const alerts = rules.filter(({ alert }) => names.includes(alert ?? ''));
  if (alerts.length < names.length) throw new Error(`deploy/views/rules.yaml lacks one of ${names.join(', ')}.`);
  const endMs = Date.now() + waitMs;
  let missing = alerts;
  for (;;) {
    const waiting = state === 'firing' ? missing : alerts;
    const answers = await Promise.all(waiting.map((alert) => find(queryFor(state, alert), url)));
    missing = waiting.filter((_, index) => answers[index]?.length === 0);
    if (missing.length === 0) return;
    if (Date.now() > endMs) break;
    await setTimeout(pauseMs);
  }
  const figures = await Promise.all(missing.map((rule) => find(partsOf(rule).figure, url)));
  const reports = missing.map(({ alert, expr }, index) => `${alert}: ${expr}\n${JSON.stringify(figures[index])}`);
  throw new Error([`These alerts are not ${state} after ${waitMs / 1000} s:`, ...reports].join('\n'));
}

/** An alert is over if its figure has a value that is a number and Prometheus does not report the alert. */
function queryFor(state: AlertState, rule: Rule): string {
  const reported = `ALERTS{alertname="${rule.alert}",alertstate="firing"}`;
  if (state === 'firing') return reported;
  const figure = scaled[rule.alert ?? '']?.endsWithoutFigure ? 'up == 1' : `${partsOf(rule).figure} > -Inf`;
  return `count(${figure}) unless on() ${reported}`;
}

async function find(query: string, url: string): Promise<readonly unknown[]> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data, error } = (await response.json()) as { data?: { result: readonly unknown[] }; error?: string };
  if (data === undefined) throw new Error(`${query}: ${error}`);
  return data.result;
}

if (import.meta.main) {
  const [state, ...names] = process.argv.slice(2);
  const url = process.env['PROMETHEUS_URL'];
  if ((state !== 'firing' && state !== 'over') || url === undefined) throw new Error('See the comment of this file.');
  await waitFor(state, names, url);
}
