import type { FindingList } from '../findings.ts';
import { itemNames } from '../item-name.ts';
import type { PlannedPackage } from '../plan.ts';
import { textOf } from '../values.ts';
import type { PlannedChannel } from './channels.ts';
import { one, Ratio } from './ratio.ts';
import { objectOption, type OneApiSource } from './source.ts';

/** The groups of the source, each of which becomes a package. */
export interface Groups {
  readonly packages: readonly PlannedPackage[];
  /** The name of the package of a group. */
  packageName(group: string): string;
  /** What a user of one group pays in another, or in the same, relative to the price of a model. */
  factor(ofUser: string, inUse: string): Ratio;
  /** Models of the plan that channels of the group have. */
  modelsIn(group: string): readonly string[];
}

const modelsMax = 1000;
const placesOfFactor = 6;
export const defaultGroup = 'default';

export function planGroups(
  source: OneApiSource,
  channels: readonly PlannedChannel[],
  models: ReadonlySet<string>,
  findings: FindingList,
): Groups {
  const ratios = objectOption(source, 'GroupRatio');
  const ofPairs = objectOption(source, 'GroupGroupRatio');
  const used = [
    ...Object.keys(ratios),
    ...channels.flatMap(({ groups }) => groups),
    ...source.users.map((user) => groupOf(user['group'])),
  ];
  const groups = [...new Set([defaultGroup, ...used])];
  const named = itemNames();
  const names = new Map(groups.map((group) => [group, named(group, `group-${group}`)]));
  const modelsIn = (group: string): readonly string[] => {
    const all = channels.filter((channel) => channel.groups.includes(group)).flatMap((channel) => channel.models);
    return [...new Set(all)].filter((model) => models.has(model));
  };
  const factorText = (ofUser: string, inUse: string): string | undefined => {
    const pairs = ofPairs[ofUser];
    const own =
      typeof pairs === 'object' && pairs !== null ? (pairs as Readonly<Record<string, unknown>>)[inUse] : undefined;
    return textOf(own) ?? textOf(ratios[inUse]);
  };
  const factor = (ofUser: string, inUse: string): Ratio => Ratio.of(factorText(ofUser, inUse)) ?? one;
  return {
    packages: groups.map((group) => {
      const text = factorText(group, group);
      const spec = { name: names.get(group) ?? group, models: [...modelsIn(group)] };
      return planned(group, text, spec, findings);
    }),
    packageName: (group) => names.get(group) ?? defaultGroup,
    factor,
    modelsIn,
  };
}

export function groupOf(cell: string | null | undefined): string {
  return cell === undefined || cell === null || cell === '' ? defaultGroup : cell;
}

function planned(
  group: string,
  ratio: string | undefined,
  spec: { readonly name: string; readonly models: string[] },
  findings: FindingList,
): PlannedPackage {
  const subject = { kind: 'package', sourceId: group } as const;
  if (spec.name !== group) findings.add('name_replaced', subject, { name: group, used: spec.name });
  const models = spec.models.length > modelsMax ? ['*'] : spec.models;
  if (models !== spec.models) findings.add('package_models_cut', subject, { count: spec.models.length });
  const factor = (ratio === undefined ? one : Ratio.of(ratio))?.roundedUp(placesOfFactor);
  const isUsable = factor !== undefined && /^\d{1,3}\./.test(factor.text);
  if (!isUsable) findings.add('factor_unreadable', subject, { ratio: ratio ?? '' });
  else if (!factor.isExact) findings.add('factor_rounded', subject, { ratio: ratio ?? '', rounded: factor.text });
  return { sourceId: group, spec: { ...spec, models, price_factor: isUsable ? factor.text : '1' } };
}
