import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ruled } from '../../bench/ruled.ts';
import { startAgentGateway } from './agent-gateway.ts';
import { type Agent, agents, type Gateway } from './agents.ts';
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.ts';

const usage = `Install coding agents and run each on a task with tools, through a gateway with a scripted provider.
Each agent runs once over each provider format: chat completions, messages and responses.

node scripts/agents/main.ts [--folder DIR] [--only claude]

The agents take about 700 MB. --folder keeps them for the next run.`;

const timeoutMs = 180_000;

const { values } = parseArgs({
  options: { folder: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
});

if (values.help) console.log(usage);
else process.exitCode = (await run()) ? 0 : 1;

async function run(): Promise<boolean> {
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'gateway-agents-')));
  const chosen = agents.filter(({ name }) => name.toLowerCase().includes(values.only?.toLowerCase() ?? ''));
  await install(folder, chosen);
  const provider = await scriptedProvider();
  const gateway = await startAgentGateway(provider.url);
  const table = [['agent', 'surface', 'provider', 'turns', 'result']];
  let isWell = true;
  for (const agent of chosen) {
    for (const model of gateway.models) {
      console.log(`${agent.name} over ${model} …`);
      const { turns, result } = await attempt(agent, { ...gateway, model }, { folder, provider });
      isWell &&= result === 'done';
      table.push([agent.name, agent.surface, model, String(turns), result]);
    }
  }
  await gateway.stop();
  provider.close();
  if (values.folder === undefined) await rm(folder, { recursive: true });
  console.log(ruled(table));
  return isWell;
}

async function install(folder: string, chosen: readonly Agent[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const packages = [...new Set(chosen.map((agent) => agent.package))];
  console.log(`Installing ${packages.join(' and ')} …`);
  await shell('npm', ['install', '--no-audit', '--no-fund', '--no-save', ...packages], { cwd: folder });
}

/** Runs one agent on one task, in its own home and working folder. */
async function attempt(
  agent: Agent,
  gateway: Gateway,
  { folder, provider }: { folder: string; provider: ScriptedProvider },
): Promise<{ turns: number; result: string }> {
  const home = await mkdtemp(join(tmpdir(), 'gateway-agent-home-'));
  const work = join(home, 'work');
  await mkdir(work);
  const task = { question: join(work, 'question.txt'), answer: join(work, 'answer.txt') };
  const number = 1000 + Math.floor(Math.random() * 9000);
  await writeFile(task.question, `The number is ${number}\n`);
  for (const [path, text] of Object.entries(agent.files(gateway))) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  provider.begin(task);
  const prompt = `Read the number in ${task.question} and write twice that number to ${task.answer}.`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...agent.environment(gateway, home) };
  const run = ([name, ...words]: readonly [string, ...string[]]): Promise<string> =>
    shell(join(folder, 'node_modules', '.bin', name), words, { cwd: work, env });
  const spoken = await run(agent.command(prompt, gateway));
  const written = await readFile(task.answer, 'utf8').catch(() => undefined);
  const turns = provider.moves.length;
  const { words, shows } = agent.windowCommand ?? {};
  const window = words ? await run(words) : '';
  await rm(home, { recursive: true, force: true });
  const isRight = written?.trim() === String(number * 2) && spoken.includes(String(number * 2));
  if (!isRight) return { turns, result: `failed: ${spoken.trim().slice(-400)}` };
  const isWindowRight = window.includes(shows ?? '');
  return { turns, result: isWindowRight ? 'done' : `another context window: ${window.trim().slice(0, 400)}` };
}

/** Returns the output of a command, also if the command fails. The file that the agent writes shows its success. */
function shell(
  program: string,
  parameters: readonly string[],
  options: { readonly cwd: string; readonly env?: Record<string, string> },
): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(program, parameters, { ...options, timeout: timeoutMs }, (error, out, err) =>
      resolve(error ? `${out}${err}${error.message}` : out),
    );
    child.stdin?.end();
  });
}
