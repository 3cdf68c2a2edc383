import { Command, Option } from 'commander';
import { type Peer, readPeer } from './targets/peer.ts';

export interface BenchOptions {
  readonly only: BenchPart | undefined;
  readonly quick: boolean;
  readonly profile: boolean;
  readonly json: boolean;
  /** Other gateways to measure. */
  readonly peers: readonly Peer[];
  /** The connections that are busy while CPU is measured. Few for a slow gateway, whose answers would not end in time. */
  readonly connections: number;
  /** The slow streams whose memory is measured. Few for a gateway that cannot open many in time. */
  readonly streams: number | undefined;
  /** The number of workers that is compared with one process. */
  readonly workers: number | undefined;
  /** The command that runs `chat-gateway`, so that this bench can measure another checkout. */
  readonly gatewayCommand: readonly string[];
}

export type BenchPart = (typeof parts)[number];

const parts = ['cpu', 'latency', 'memory', 'blocks', 'workers', 'fairness', 'money'] as const;

/** The number of workers for `--only workers` without a number. */
const usualWorkers = 2;

/** Reads the command line. Prints help or an error and exits if there is nothing to run. */
export function readOptions(argv: readonly string[]): BenchOptions {
  const command = new Command('bench')
    .description('Compare the gateway with nginx and a bare Node pipe in one run. Print ratios, and memory in bytes.')
    .addOption(
      new Option('--only <part>', 'measure one part; workers, fairness and money only if named').choices(parts),
    )
    .option('--quick', 'use short rounds: a check that everything works, too noisy to quote', false)
    .option('--profile', 'run the gateway with --cpu-prof and print the path of the profile', false)
    .option('--peers <name=command...>', 'also measure other gateways, each set up by bench/peers/NAME.yaml', [])
    .addOption(
      new Option('--workers <number>', 'also measure this number of workers, compared with one process').argParser(
        Number,
      ),
    )
    .addOption(
      new Option('--connections <number>', 'keep this number of connections busy while CPU is measured')
        .argParser(Number)
        .default(64),
    )
    .addOption(new Option('--streams <number>', 'measure the memory of this number of slow streams').argParser(Number))
    .option('--json', 'print the ratios as JSON', false)
    .option('--gateway-command <command>', 'measure another build, e.g. "node /path/bin/chat-gateway.cjs"')
    .parse([...argv]);
  const said = command.opts<{
    only?: BenchPart;
    quick: boolean;
    profile: boolean;
    json: boolean;
    peers: string[];
    connections: number;
    streams?: number;
    workers?: number;
    gatewayCommand?: string;
  }>();
  return {
    only: said.only,
    quick: said.quick,
    profile: said.profile,
    json: said.json,
    peers: said.peers.map((peer) => readPeer(peer)),
    connections: said.connections,
    streams: said.streams,
    workers: said.workers ?? (said.only === 'workers' ? usualWorkers : undefined),
    gatewayCommand: said.gatewayCommand?.split(' ').filter(Boolean) ?? [process.execPath, 'bin/chat-gateway.cjs'],
  };
}
