import type { Model, Route } from '../core/model.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Channel } from './channel.ts';
import type { Prospect } from './choice.ts';
import type { LaneQueue } from './lane-queue.ts';

/** An upstream with its places and a channel for each of its credentials. */
export interface Lane {
  readonly upstream: Upstream;
  readonly queue: LaneQueue;
  readonly channels: readonly Channel[];
}

/** One way to serve a model: a route, and a credential of its upstream. */
export interface Option {
  readonly route: Route;
  readonly lane: Lane;
  readonly channel: Channel;
}

export function optionsOf(model: Model, lane: (name: string) => Lane | undefined): readonly Option[] {
  return model.routes.flatMap((route) => {
    const there = lane(route.upstream);
    return there ? there.channels.map((channel) => ({ route, lane: there, channel })) : [];
  });
}

/** Those that can be asked this moment. */
export function ready(options: readonly Option[]): readonly Option[] {
  return options.filter((option) => isIn(option.channel) && pausedMs(option) === 0);
}

/**
 * Those a request should turn to, all of one priority: the healthy ones; those that only want a rest; and before a
 * request goes unserved for want of a healthy channel, the ones that are out, since the last one is never left out.
 */
export function best(options: readonly Option[]): readonly Option[] {
  if (options.length < 2) return options;
  const circles = [
    ready(options),
    options.filter(({ channel }) => isIn(channel)),
    options.filter(({ channel }) => channel.standing === 'ejected'),
    options,
  ];
  return soonest(foremost(circles.find((circle) => circle.length > 0) ?? []));
}

/** Whether the channel is among those that serve, if only to find out whether it can. */
export function isIn({ standing }: Channel): boolean {
  return standing === 'healthy' || standing === 'ramping' || standing === 'half-open';
}

/** How much longer the provider wants to be left alone. */
export function pausedMs({ channel, route }: Option): number {
  return channel.pausedMs(route.model);
}

/** What the choice between options goes by. */
export function prospects(options: readonly Option[]): readonly (Prospect & { readonly option: Option })[] {
  return options.map((option) => {
    const { route, lane, channel } = option;
    const { running, waiting, limit } = lane.queue;
    const siblings = options.filter((other) => other.route === route).length;
    return {
      option,
      name: `${route.upstream} ${channel.credential} ${route.model}`,
      weight: (route.weight * channel.share) / siblings,
      load: (running + waiting) / limit / route.weight,
      hasRoom: running < limit && waiting === 0,
      running: channel.running,
      latencyMs: channel.latencyMs,
    };
  });
}

function foremost(options: readonly Option[]): readonly Option[] {
  const first = Math.min(...options.map(({ route }) => route.priority));
  return options.filter(({ route }) => route.priority === first);
}

function soonest(options: readonly Option[]): readonly Option[] {
  const first = Math.min(...options.map(pausedMs));
  return options.filter((option) => pausedMs(option) <= first);
}
