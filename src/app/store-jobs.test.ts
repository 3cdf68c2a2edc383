import { expect, test } from 'vitest';
import { storeJobs } from './store-jobs.ts';

test.each(storeJobs)('the worker thread finds the job $name under its exported name', async (job) => {
  const exports = (await import(job.module)) as Record<string, unknown>;
  expect(exports[job.name]).toBe(job);
});
