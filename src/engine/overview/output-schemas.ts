import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';
import { statusOutputSchema } from '../memory/output-schemas.js';
import { serviceSchema } from '../serve/output-schemas.js';

/*
 * Schemas of the JSON documents that tell of the program as a whole. They are checked by tests and
 * make docs/json.md; no command loads them.
 */

const count = z.int().check(z.minimum(0));

/** `svc version --json`. */
export const versionOutputSchema = z.strictObject({
  version: z.string(),
  node: z.string(),
  sqlite: z.nullable(z.string()),
  platform: z.strictObject({
    os: z.string(),
    arch: z.string(),
    release: z.string(),
    glibc: z.boolean(),
  }),
  paths: z.strictObject({
    program: z.string(),
    node: z.string(),
    config: z.nullable(z.string()),
    configOrigin: z.nullable(z.enum(['environment', 'flag', 'nearest', 'user'])),
    state: z.string(),
    cache: z.string(),
  }),
  modules: z.array(
    z.strictObject({
      name: z.enum(['better-sqlite3', 'node-llama-cpp', 'sqlite-vec']),
      state: z.enum(['not_installed', 'ok', 'unusable']),
      version: z.nullable(z.string()),
      why: z.nullable(z.string()),
    }),
  ),
  warnings: z.optional(warnings),
});

/** `svc status --json`. */
export const overallStatusOutputSchema = z.strictObject({
  serving: z.nullable(
    z.strictObject({
      pid: z.int(),
      since: z.iso.datetime(),
      services: z.array(z.omit(serviceSchema, { eventAt: true, retryAt: true })),
    }),
  ),
  agents: statusOutputSchema.shape.agents,
  listener: z.strictObject({
    url: z.nullable(z.string()),
    routes: count,
    requests: count,
    rejected: count,
    lastRequestAt: z.nullable(z.iso.datetime()),
  }),
  flows: z.array(z.strictObject({ status: z.string(), count })),
  tasks: z.array(z.strictObject({ status: z.string(), count })),
  dreams: z.array(
    z.strictObject({
      agents: z.array(z.string()),
      enabled: z.boolean(),
      nextRunAt: z.nullable(z.iso.datetime()),
      lastSweepAt: z.nullable(z.iso.datetime()),
      written: z.nullable(count),
    }),
  ),
  nextRuns: z.array(z.strictObject({ what: z.string(), at: z.iso.datetime() })),
  faults: z.array(
    z.strictObject({
      about: z.string(),
      code: z.nullable(z.string()),
      message: z.string(),
      hint: z.optional(z.string()),
    }),
  ),
  warnings: z.optional(warnings),
});

/** `svc bug-report --json`. */
export const bugReportOutputSchema = z.strictObject({
  file: z.string(),
  bytes: count,
  entries: z.array(
    z.strictObject({
      name: z.string(),
      holds: z.string(),
      bytes: count,
      error: z.nullable(z.string()),
    }),
  ),
  warnings: z.optional(warnings),
});

type Output<S extends z.ZodMiniType> = DeepReadonly<Omit<z.infer<S>, 'warnings'>>;

export type VersionOutput = Output<typeof versionOutputSchema>;
export type OverallStatusOutput = Output<typeof overallStatusOutputSchema>;
export type BugReportOutput = Output<typeof bugReportOutputSchema>;
