import { parseArgs } from 'node:util';
import { mutants } from '../test/simulator/mutants.ts';
import { revertFix } from '../test/simulator/revert-fix.ts';

const { values } = parseArgs({
  options: {
    family: { type: 'string' },
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    without: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const mutant = mutants.find(({ name }) => name === values.without);
if (values.without !== undefined && !mutant)
  refuse(
    `Unknown fix: ${values.without}`,
    mutants.map(({ name }) => name),
  );
if (mutant) revertFix(mutant);
// Imported only now: `revertFix` must run before the modules that these import are loaded.
const { playWorld, worldNames } = await import('../test/simulator/play-world.ts');
const { SharedStore } = await import('../test/simulator/shared-store.ts');

if (values.help) {
  console.log(`Simulate whole services in virtual time, each from one seed.

  --family NAME   ${worldNames.join(', ')}; all families by default
  --seed N        repeat one world exactly
  --seeds N       number of new seeds (1000)
  --without NAME  remove a fix and stop at the first world that fails without it:
                  ${mutants.map(({ name }) => name).join(', ')}`);
  process.exit(0);
}

const family = values.family ?? mutant?.family;
const names = family === undefined ? worldNames : [family];
const unknown = names.find((name) => !worldNames.includes(name));
if (unknown !== undefined) refuse(`Unknown family: ${unknown}`, worldNames);

const store = await SharedStore.open();
const first = values.seed === undefined ? Math.floor(Math.random() * 2 ** 40) : Number(values.seed);
const count = values.seed === undefined || mutant ? Number(values.seeds) : 1;
let [played, failed] = [0, 0];
for (let index = 0; index < count; index += 1) {
  if (mutant && failed > 0) break;
  for (const name of names) await play(name, first + index);
  if ((index + 1) % 100 === 0) console.error(`${index + 1} of ${count} seeds, ${failed} worlds broke a rule`);
}
console.log(failed === 0 ? `All rules kept in ${played} worlds.` : `${failed} of ${played} worlds broke a rule.`);
process.exitCode = failed === 0 ? 0 : 1;

async function play(name: string, seed: number): Promise<void> {
  const { broken, steps } = await playWorld(store, name, seed);
  played += 1;
  if (broken.length === 0 && count === 1) console.log(`${name} ${seed}: all rules kept in ${steps} steps`);
  if (broken.length === 0) return;
  failed += 1;
  console.log(`${name} ${seed}:`);
  for (const rule of broken) console.log(`  ${rule}`);
  if (mutant) return;
  console.log(`  repeat:  npm run simulate -- --family ${name} --seed ${seed}`);
  console.log(`  add to test/simulator/seeds.ts:  { family: '${name}', seed: ${seed}, found: '' },`);
}

function refuse(sentence: string, choices: readonly string[]): never {
  console.error(`${sentence}. Use one of ${choices.join(', ')}.`);
  process.exit(2);
}
