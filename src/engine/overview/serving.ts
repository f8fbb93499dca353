import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { DeepReadonly } from '../errors/output-schema.js';
import { instanceLockFile } from '../serve/instance-lock.js';
import { isProcessLockHeld } from '../sqlite/process-lock.js';

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
 * The running `svc serve` of a state folder; undefined when none runs. A file of a killed process or of
 * another version is ignored. The lock decides, since process IDs are reused.
 */
export function readServing(
  stateDir: string,
  isRunning: (stateDir: string) => boolean = isLocked,
): Serving | undefined {
  try {
    const read = serving.safeParse(JSON.parse(readFileSync(join(stateDir, 'serve.json'), 'utf8')));
    return read.success && isRunning(stateDir) ? read.data : undefined;
  } catch {
    return undefined;
  }
}

function isLocked(stateDir: string): boolean {
  return isProcessLockHeld(instanceLockFile(stateDir));
}
