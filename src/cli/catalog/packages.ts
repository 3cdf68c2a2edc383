import type { Command } from 'commander';
import { numeric } from '../terminal/option-values.ts';
import { addResource, cell, listed, resourceCommands } from './resource-commands.ts';

interface AddPackageOptions {
  readonly models?: readonly string[];
  readonly weight?: number | string;
}

export function registerPackages(program: Command): void {
  const noun = resourceCommands(program, {
    kind: 'package',
    description: 'Manage packages: the models of an account and its share under load.',
    example: 'chat-gateway packages add gold --models "*" --weight 4',
    columns: ['name', 'models', 'weight'],
    cells: (spec) => [cell(spec.name), cell(spec.models), cell(spec.weight ?? 1)],
  });
  noun
    .command('add')
    .argument('<name>')
    .option('--models <patterns>', 'models that its accounts may use; default: all', listed)
    .option('--weight <number>', 'share of a busy upstream, 1 to 100; default 1', numeric)
    .description('Add a package.')
    .action((name: string, { models, weight }: AddPackageOptions, command: Command) =>
      addResource(command, { kind: 'package', spec: { name, models: models ?? ['*'], weight } }),
    );
}
