import { Code, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Drift, System } from '../../api/wire.ts';
import { CheckIcon, WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { kindWords } from '../audit/words.ts';
import { Part } from './part.tsx';
import classes from './system.module.css';

const driftTexts = {
  'only in the store': 'system.driftStore',
  'only in the file': 'system.driftFile',
  different: 'system.driftDifferent',
} as const satisfies Readonly<Record<Drift['difference'], string>>;

/** The source of the configuration, and differences between store and file. */
export function Configuration({ config }: { readonly config: System['config'] }) {
  const { t } = useText();
  const named = ({ kind, name }: Pick<Drift, 'kind' | 'name'>) => `${kindWords(kind, t)} ${name}`;
  return (
    <Part title={t('system.configuration')}>
      <dl className={classes['facts']}>
        <Fact name={t('system.file')}>{config.file ? <Code>{config.file}</Code> : t('system.noFile')}</Fact>
        <Fact name={t('system.owned')}>
          {config.owned.length === 0 ? (
            t('system.ownedNothing')
          ) : (
            <>
              {config.owned.map(named).join(' · ')}
              <Text fz="sm" c="dimmed">
                {t('system.ownedText')}
              </Text>
            </>
          )}
        </Fact>
        <Fact name={t('system.drift')} isGood={config.drift.length === 0}>
          {config.drift.length === 0 ? (
            t('system.noDrift')
          ) : (
            <>
              <Text fz="sm">{t('system.driftText')}</Text>
              <List mt={4}>
                {config.drift.map((each) => (
                  <List.Item key={named(each)}>{t(driftTexts[each.difference], { name: named(each) })}</List.Item>
                ))}
              </List>
            </>
          )}
        </Fact>
        <Fact name={t('system.problems')} isGood={config.problems.length === 0}>
          {config.problems.length === 0 ? (
            t('system.noProblems')
          ) : (
            <>
              <Text fz="sm">{t('system.problemsText')}</Text>
              <List mt={4}>
                {config.problems.map((problem) => (
                  <List.Item key={problem}>{problem}</List.Item>
                ))}
              </List>
            </>
          )}
        </Fact>
      </dl>
    </Part>
  );
}

interface FactProps {
  readonly name: string;
  /** Marks the value as good or as a warning. */
  readonly isGood?: boolean;
  readonly children: ReactNode;
}

function Fact({ name, isGood, children }: FactProps) {
  return (
    <div className={classes['fact']}>
      <dt>{name}</dt>
      <dd>
        {isGood !== undefined && (
          <span className={classes[isGood ? 'good' : 'warning']}>
            {isGood ? <CheckIcon size={16} /> : <WarningIcon size={16} />}
          </span>
        )}
        <div>{children}</div>
      </dd>
    </div>
  );
}
