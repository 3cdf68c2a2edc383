import { Command, Option } from 'commander';

/** What one run shall measure, and how long it may take. */
export interface BenchOptions {
  readonly only: Part | undefined;
  readonly quick: boolean;
  readonly profile: boolean;
  readonly json: boolean;
  /** The command line that stands for `chat-gateway`, so that another checkout can be measured with the same bench. */
  readonly gatewayCommand: readonly string[];
}

export type Part = 'cpu' | 'latency' | 'memory';

/** Reads the command line; prints help or the mistake and exits where there is nothing to run. */
export function readOptions(argv: readonly string[]): BenchOptions {
  const command = new Command('bench')
    .description('Compares the gateway with nginx and a bare Node pipe in one run; prints ratios only.')
    .addOption(new Option('--only <part>', 'measure one part').choices(['cpu', 'latency', 'memory']))
    .option('--quick', 'short rounds: shows that everything works, too noisy to quote', false)
    .option('--profile', 'run the gateway with --cpu-prof and say where the profile is', false)
    .option('--json', 'print the ratios as JSON', false)
    .option('--gateway-command <command>', 'measure another build, e.g. "node /path/bin/chat-gateway.cjs"')
    .parse([...argv]);
  const said = command.opts<{
    only?: Part;
    quick: boolean;
    profile: boolean;
    json: boolean;
    gatewayCommand?: string;
  }>();
  return {
    only: said.only,
    quick: said.quick,
    profile: said.profile,
    json: said.json,
    gatewayCommand: said.gatewayCommand?.split(' ').filter(Boolean) ?? [process.execPath, 'bin/chat-gateway.cjs'],
  };
}
