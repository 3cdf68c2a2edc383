import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** In the order in which they run: what needs most patience begins first, and the many small ones fill both cores at the end. */
const projects = ['alone', 'browser', 'together'];

/**
 * What takes long, as it was measured, longest first. Begun last, one of these would run alone at the end, while all other
 * cores have nothing left to do.
 */
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
  'test/lane/as-the-general-way',
  'test/faults/process',
  'test/faults/cut-off',
  'test/faults/secrets',
  'test/browser/',
  'test/contract/admin/404-other-accounts',
  'test/contract/console/401-slowly',
  'test/contract/http/pressure',
  'test/faults/stopping',
  'test/contract/any-request',
  'src/billing/wallet',
  'test/simulator/',
  'test/faults/',
  'src/store/',
  'src/accounts/key-ring',
  'test/contract/conform',
  'src/upstreams/provider-faults',
];

/**
 * The files of one run, those that take long first, and otherwise as usual: the largest first. Those that share processes come
 * project by project: a process ends when the next file is none of its own, and another has to load everything anew.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.toSorted((one, other) => turnOf(one) - turnOf(other) || rank(one) - rank(other));
  }
}

function turnOf({ project }: TestSpecification): number {
  return projects.indexOf(project.name);
}

function rank({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((path) => moduleId.includes(`/${path}`));
  return place < 0 ? longest.length : place;
}
