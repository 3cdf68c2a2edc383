import { parseArgs } from 'node:util';
import { crashLoop } from '../test/crash/crash-loop.ts';
import { startPostgres } from '../test/services/postgres.ts';

const usage = `Kill gateways under load and check the store after every restart.

node scripts/crash-loop.ts [--cycles 200] [--seconds 600] [--seed 42] [--processes 2] [--clients 24]
                           [--store sqlite | postgres | postgres://…]

--store postgres starts its own PostgreSQL.`;

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '3600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    processes: { type: 'string', default: '2' },
    clients: { type: 'string', default: '24' },
    store: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean' },
  },
});

if (values.help) console.log(usage);
else await run();

async function run(): Promise<void> {
  const seed = numberOf('seed');
  console.log(`seed ${seed}`);
  const postgres = values.store === 'postgres' ? await startPostgres(['fsync=on']) : undefined;
  const database = values.store === 'sqlite' ? undefined : values.store;
  const { violations, ...figures } = await crashLoop({
    seed,
    cycles: numberOf('cycles'),
    seconds: numberOf('seconds'),
    processes: numberOf('processes'),
    clients: numberOf('clients'),
    database: (await postgres?.createDatabase()) ?? database,
    log: console.log,
  });
  await postgres?.stop();
  console.log(JSON.stringify(figures));
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) console.error(`Repeat: node scripts/crash-loop.ts --seed ${seed}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function numberOf(name: 'cycles' | 'seconds' | 'seed' | 'processes' | 'clients'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Error(`--${name} ${values[name]} is not a whole number\n\n${usage}`);
}
