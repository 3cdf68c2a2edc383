import { Text } from '@mantine/core';
import type { System } from '../../api/wire.ts';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './system.module.css';

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** The four most important facts. */
export function SystemFigures({ system }: { readonly system: System | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const replicas = system?.replicas;
  const alive = replicas?.filter((replica) => replica.is_alive).length ?? 0;
  return (
    <StatRow>
      <StatCard
        label={t('system.version')}
        value={
          system && (
            <Text span inherit className={classes['version']}>
              {system.version}
            </Text>
          )
        }
        hint={system && t('system.build', { at: readable(system.build, format.dateTime) })}
      />
      <StatCard
        label={t('system.uptime')}
        value={system && format.duration(system.process.uptime_s * 1000)}
        hint={system && t('system.since', { at: format.dateTime(system.process.started_at) })}
      />
      <StatCard
        label={t('system.replicas')}
        value={replicas?.length}
        hint={replicas && t('system.replicasAlive', { alive, count: replicas.length })}
      />
      <StatCard
        label={t('system.store')}
        value={system && engines[system.engine]}
        hint={system && t('system.schema', { version: system.schema_version })}
      />
    </StatRow>
  );
}

/** A manual build may have a name that is not a time. */
function readable(build: string, dateTime: (at: string) => string): string {
  return Number.isNaN(Date.parse(build)) ? build : dateTime(build);
}
