import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { projects } from './projects.ts';

/** Long files, the longest first. If one of them started last, it would run alone at the end, on one core. */
const longest = [
  'test/cluster/three',
  'test/simulator/money',
  'test/cluster/',
  'test/simulator/places',
  'test/crash/',
  'test/browser/operating',
  'test/browser/operator-pages',
  'test/browser/owner.',
  'test/deploy/views',
  'test/package',
  'test/browser/requests',
  'test/browser/frame',
  'test/serve',
  'test/fast-path/same-as-slow-path',
  'test/faults/process',
  'test/faults/cut-off',
  'test/faults/secrets',
  'test/browser/',
  'test/contract/admin/404-other-accounts',
  'test/contract/console/401-slowly',
  'test/contract/http/pressure',
  'test/faults/stopping',
  'test/contract/any-request',
  'src/money/billing/wallet',
  'test/simulator/',
  'test/faults/',
  'src/platform/store/',
  'src/money/accounts/key-ring',
  'test/contract/conform',
  'src/serving/upstreams/provider-faults',
];

/**
 * Sorts files by project, since files of one project share processes. Inside a project the long ones above come first,
 * then the others in vitest's own order.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => projectRank(one) - projectRank(other) || fileRank(one) - fileRank(other));
  }
}

function projectRank({ project }: TestSpecification): number {
  return projects.findIndex(({ name }) => name === project.name);
}

function fileRank({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((path) => moduleId.includes(`/${path}`));
  return rank < 0 ? longest.length : rank;
}
