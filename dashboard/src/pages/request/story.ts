import type { RequestStory, TrailStep } from '../../api/documents.ts';

/** When things happened at one provider. */
export type Times = Pick<TrailStep, 'wait_ms' | 'position' | 'began_ms' | 'ended_ms' | 'first_event_ms'>;

/** One try at an upstream, as operators see it. */
export interface OperatorStep extends Times {
  readonly upstream: string;
  readonly upstream_model: string;
  readonly credential: number | null;
  readonly status: number | null;
  readonly error_case: string | null;
  readonly reason: string | null;
}

/** The life of a request with the names of upstreams. */
export interface OperatorStory extends Omit<RequestStory, 'trail'> {
  readonly upstream: string | null;
  readonly upstream_model: string | null;
  readonly attempts: number | null;
  readonly notes: readonly string[];
  readonly trail: readonly OperatorStep[];
}

export type Step = TrailStep | OperatorStep;

/** What the page is given, whoever looks. */
export type Story = RequestStory | OperatorStory;

export function isOperatorStory(story: Story): story is OperatorStory {
  return 'notes' in story;
}

export type Named = { readonly upstream: string } | { readonly provider: string };

/** Who was asked: the upstream's name, or the number that stands for it. */
export function providerOf(step: Named): string {
  return 'upstream' in step ? step.upstream : step.provider;
}

/** What a request came to, in one word. */
export type Outcome = 'answered' | 'brokeOff' | 'refused' | 'failed' | 'running' | 'clientGone' | 'unrecorded';

export function outcomeOf(story: Story): Outcome {
  if (story.state === 'open') return 'running';
  if (story.status === null) return 'unrecorded';
  if (story.status >= 500) return 'failed';
  if (story.status >= 400) return 'refused';
  if (story.error_case !== null) return 'brokeOff';
  return story.client_gone ? 'clientGone' : 'answered';
}
