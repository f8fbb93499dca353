import * as z from 'zod/mini';
import type { DeepReadonly } from '../errors/output-schema.js';
import { runningServeState } from '../serve/instance-lock.js';

const failure = z.object({
  code: z.nullable(z.string()),
  message: z.string(),
  hint: z.nullable(z.string()),
});

const service = z.object({
  name: z.string(),
  state: z.enum(['draining', 'ready', 'starting', 'stopped', 'waiting']),
  sinceMs: z.number(),
  event: z.nullable(z.string()),
  eventMs: z.nullable(z.number()),
  restarts: z.number(),
  failure: z.nullable(failure),
  retryMs: z.nullable(z.number()),
});

const serving = z.object({
  pid: z.int().check(z.minimum(1)),
  startedMs: z.number(),
  services: z.array(service),
});

/** A running `svc serve`, from its state file; times in milliseconds since the epoch. */
export type Serving = DeepReadonly<z.infer<typeof serving>>;

export type ServedService = Serving['services'][number];

/**
 * The running `svc serve` of a state folder; undefined when none runs. A file of another version is
 * ignored.
 */
export function readServing(stateDir: string): Serving | undefined {
  return serving.safeParse(runningServeState(stateDir)).data;
}
