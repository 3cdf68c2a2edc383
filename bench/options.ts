import { Command, Option } from 'commander';

/** What one run shall measure, and how long it may take. */
export interface BenchOptions {
  readonly only: Part | undefined;
  readonly quick: boolean;
  readonly profile: boolean;
  readonly json: boolean;
  /** Whether other gateways that npm can fetch are measured too. */
  readonly peers: boolean;
  /** With how many workers the gateway is measured beside one. */
  readonly workers: number | undefined;
  /** The command line that stands for `chat-gateway`, so that another checkout can be measured with the same bench. */
  readonly gatewayCommand: readonly string[];
}

export type Part = (typeof parts)[number];

const parts = ['cpu', 'latency', 'memory', 'blocks', 'workers'] as const;

/** What `--only workers` measures if no number is said. */
const usualWorkers = 2;

/** Reads the command line; prints help or the mistake and exits where there is nothing to run. */
export function readOptions(argv: readonly string[]): BenchOptions {
  const command = new Command('bench')
    .description('Compares the gateway with nginx and a bare Node pipe in one run; prints ratios, and memory in bytes.')
    .addOption(new Option('--only <part>', 'measure one part').choices(parts))
    .option('--quick', 'short rounds: shows that everything works, too noisy to quote', false)
    .option('--profile', 'run the gateway with --cpu-prof and say where the profile is', false)
    .option('--peers', 'also measure gateways that npm can fetch, into a temporary folder: Portkey', false)
    .addOption(new Option('--workers <number>', 'also measure so many workers beside one').argParser(Number))
    .option('--json', 'print the ratios as JSON', false)
    .option('--gateway-command <command>', 'measure another build, e.g. "node /path/bin/chat-gateway.cjs"')
    .parse([...argv]);
  const said = command.opts<{
    only?: Part;
    quick: boolean;
    profile: boolean;
    json: boolean;
    peers: boolean;
    workers?: number;
    gatewayCommand?: string;
  }>();
  return {
    only: said.only,
    quick: said.quick,
    profile: said.profile,
    json: said.json,
    peers: said.peers,
    workers: said.workers ?? (said.only === 'workers' ? usualWorkers : undefined),
    gatewayCommand: said.gatewayCommand?.split(' ').filter(Boolean) ?? [process.execPath, 'bin/chat-gateway.cjs'],
  };
}
