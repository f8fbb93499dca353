import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { isProcessLockHeld } from '../process-lock.js';
import { instanceLockFile } from '../serve/instance-lock.js';

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
 * left behind, or that another version wrote, counts as none: the lock that a running one holds is
 * asked, since process ids are used again.
 */
export function readServing(
  stateDir: string,
  isRunning: (stateDir: string) => boolean = holdsTheLock,
): Serving | undefined {
  try {
    const read = serving.safeParse(JSON.parse(readFileSync(join(stateDir, 'serve.json'), 'utf8')));
    return read.success && isRunning(stateDir) ? read.data : undefined;
  } catch {
    return undefined;
  }
}

function holdsTheLock(stateDir: string): boolean {
  return isProcessLockHeld(instanceLockFile(stateDir));
}
