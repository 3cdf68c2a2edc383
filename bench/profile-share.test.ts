import { expect, test } from 'vitest';
import { profileShare } from './profile-share.ts';

test('the share of a module includes the functions that it calls, relative to the busy time of the thread', () => {
  const node = (id: number, functionName: string, url: string, ...children: number[]) => ({
    id,
    callFrame: { functionName, url },
    children,
  });
  const nodes = [
    node(1, '(root)', '', 2, 3, 6),
    node(2, '(idle)', ''),
    node(3, 'serve', 'file:///serve.ts', 4),
    node(4, 'count', 'file:///count.ts', 5),
    node(5, 'add', 'file:///add.ts'),
    node(6, 'add', 'file:///add.ts'),
  ];
  const profile = { nodes, samples: [2, 3, 4, 5, 6], timeDeltas: [1000, 60, 10, 20, 10] };
  expect(profileShare(profile, (url) => url.endsWith('/count.ts'))).toBe(0.3);
});
