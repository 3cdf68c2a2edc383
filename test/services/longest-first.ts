import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What waits for browsers and for processes of its own, longest first. Begun last, one of these would run alone at the
 * end, while all other cores have nothing left to do.
 */
const longest = [
  'test/simulator/',
  'test/crash/',
  'test/browser/operator-pages',
  'test/browser/operating',
  'test/browser/',
  'test/faults/secrets',
  'test/faults/',
  'test/serve',
  'src/billing/',
  'src/store/',
];

/** The files of one run, those that take long first, and otherwise as usual: the largest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((path) => moduleId.includes(`/${path}`));
  return place < 0 ? longest.length : place;
}
