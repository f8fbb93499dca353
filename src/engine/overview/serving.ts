import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { systemErrorCode } from '../errors/index.js';

const failure = z.object({
  code: z.nullable(z.string()),
  message: z.string(),
  mend: z.nullable(z.string()),
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

/** A running `svc serve` as it wrote itself down; times in milliseconds since the epoch. */
export type Serving = DeepReadonly<z.infer<typeof serving>>;

/** One of its services. */
export type ServedService = Serving['services'][number];

/**
 * The `svc serve` that runs for a state folder; undefined when none does. A file that a killed one
 * left behind, or that another version wrote, counts as none.
 *
 * @param isAlive whether there is a process of this id
 */
export function readServing(
  stateDir: string,
  isAlive: (pid: number) => boolean = processIsThere,
): Serving | undefined {
  try {
    const read = serving.safeParse(JSON.parse(readFileSync(join(stateDir, 'serve.json'), 'utf8')));
    return read.success && isAlive(read.data.pid) ? read.data : undefined;
  } catch {
    return undefined;
  }
}

function processIsThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and belongs to somebody else.
    return systemErrorCode(error) === 'EPERM';
  }
}
