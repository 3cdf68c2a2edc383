import { parseArgs } from 'node:util';
import { batchLoop } from '../test/crash/batch-loop.ts';
import { crashLoop } from '../test/crash/crash-loop.ts';
import { startPostgres } from '../test/services/postgres.ts';

const usage = `Kill gateways under load and check the store after every restart.

node scripts/crash-loop.ts [--cycles 200] [--seconds 600] [--seed 42] [--processes 2] [--clients 24]
                           [--store sqlite | postgres | postgres://…]
                           [--lines 3000]

With --lines, the load is a batch with that many lines. Each cycle kills a gateway or the started PostgreSQL, and the
checks follow at the end of the batch.

--store postgres starts its own PostgreSQL.`;

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '3600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    processes: { type: 'string', default: '2' },
    clients: { type: 'string', default: '24' },
    store: { type: 'string', default: 'sqlite' },
    lines: { type: 'string', default: '0' },
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
  const cycles = numberOf('cycles');
  const lines = numberOf('lines');
  const common = {
    seed,
    processes: numberOf('processes'),
    database: (await postgres?.createDatabase()) ?? database,
    log: console.log,
  };
  const { violations, ...figures } =
    lines > 0
      ? await batchLoop({ ...common, lines, kills: cycles, crashDatabase: postgres && (() => postgres.crash()) })
      : await crashLoop({ ...common, cycles, seconds: numberOf('seconds'), clients: numberOf('clients') });
  await postgres?.stop();
  console.log(JSON.stringify(figures));
  for (const violation of violations) console.error(violation);
  if (violations.length > 0)
    console.error(`Repeat: node scripts/crash-loop.ts --seed ${seed}${lines > 0 ? ` --lines ${lines}` : ''}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function numberOf(name: 'cycles' | 'seconds' | 'seed' | 'processes' | 'clients' | 'lines'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Error(`--${name} ${values[name]} is not a whole number\n\n${usage}`);
}
