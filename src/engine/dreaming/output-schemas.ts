import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents of dreaming. They are checked by tests and make docs/json.md; no command
 * loads them.
 */

const count = z.int().check(z.minimum(0));
const line = z.int().check(z.minimum(1));
const part = z.number().check(z.minimum(0), z.maximum(1));
const score = z.number().check(z.minimum(0));
const when = z.iso.datetime();
const key = z.string().check(z.regex(/^[0-9a-f]{16}$/u));
const fate = z.enum(['open', 'promoted', 'rejected']);

/** The workspace that a document is about. */
const place = { workspace: z.string(), agents: z.array(z.string()) };

const claim = {
  key,
  text: z.string(),
  source: z.enum(['memory', 'sessions']),
  path: z.string(),
  startLine: line,
  endLine: line,
};

const signals = {
  recalls: count,
  notes: count,
  grounded: count,
  questions: count,
  days: count,
  firstSignalAt: when,
  lastSignalAt: when,
};

const gate = z.strictObject({
  gate: z.enum([
    'short_term',
    'clean',
    'open',
    'asked',
    'recall_count',
    'unique_queries',
    'age',
    'score',
  ]),
  passed: z.boolean(),
  why: z.string(),
});

const phase = z.strictObject({
  state: z.enum(['done', 'failed', 'off']),
  ms: z.optional(z.number()),
  counts: z.optional(z.record(z.string(), count)),
  error: z.optional(z.string()),
});

const sweepFields = {
  id: z.string(),
  day: z.iso.date(),
  trigger: z.enum(['manual', 'schedule', 'backfill', 'promote']),
  startedAt: when,
  endedAt: z.nullable(when),
  phases: z.strictObject({
    light: z.optional(phase),
    rem: z.optional(phase),
    deep: z.optional(phase),
  }),
  memory: z.enum(['untouched', 'planned', 'applied', 'undone']),
  written: count,
};
const sweep = z.strictObject(sweepFields);

const decision = z.strictObject({
  ...claim,
  score,
  decision: z.enum(['promote', 'renew', 'said', 'skip']),
  why: z.optional(z.enum(['changed', 'missing'])),
  prior: z.optional(key),
});

const swept = z.strictObject({
  ...place,
  ok: z.boolean(),
  sweep,
  searches: count,
  decisions: z.array(decision),
  skipped: z.array(
    z.strictObject({ path: z.string(), reason: z.string(), detail: z.optional(z.string()) }),
  ),
  reportFaults: z.array(z.string()),
  modelFaults: z.array(z.string()),
  remReport: z.optional(z.string()),
});

const notSwept = z.strictObject({
  ...place,
  ok: z.literal(false),
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.optional(z.string()) }),
});

/** `svc dream run --json`. */
export const dreamRunOutputSchema = z.strictObject({
  ok: z.boolean(),
  dryRun: z.boolean(),
  sweeps: z.array(z.union([swept, notSwept])),
  warnings,
});

/** `svc dream status --json`. */
export const dreamStatusOutputSchema = z.strictObject({
  enabled: z.boolean(),
  frequency: z.string(),
  workspaces: z.array(
    z.strictObject({
      ...place,
      timeZone: z.nullable(z.string()),
      nextRunAt: z.nullable(when),
      busy: z.boolean(),
      lastSweep: z.nullable(sweep),
      claims: z.strictObject({ open: count, ready: count, promoted: count, rejected: count }),
      recallLog: z.strictObject({ bytes: count, mostBytes: count }),
      memory: z.nullable(z.strictObject({ promoted: count, mostPromoted: count, bytes: count })),
      fault: z.nullable(z.string()),
    }),
  ),
  warnings,
});

/** `svc dream list --json`. */
export const dreamListOutputSchema = z.strictObject({
  ...place,
  sweeps: z.array(sweep),
  warnings,
});

/** `svc dream show --json`. */
export const dreamShowOutputSchema = z.strictObject({
  ...place,
  sweep,
  entries: z.array(
    z.strictObject({
      change: z.enum(['add', 'replace', 'retire']),
      key,
      text: z.string(),
      path: z.string(),
      startLine: line,
      endLine: line,
      score,
      before: z.optional(z.string()),
    }),
  ),
  said: z.array(key),
  backupFile: z.nullable(z.string()),
  warnings,
});

/** `svc dream candidates --json`. */
export const dreamCandidatesOutputSchema = z.strictObject({
  ...place,
  total: count,
  ready: count,
  candidates: z.array(
    z.strictObject({
      ...claim,
      ...signals,
      score,
      passes: z.boolean(),
      signals: z.strictObject({
        frequency: part,
        relevance: part,
        diversity: part,
        recency: part,
        consolidation: part,
        conceptual: part,
      }),
      lightBoost: part,
      remBoost: part,
      failed: z.array(gate.shape.gate),
    }),
  ),
  warnings,
});

/** `svc dream explain --json`. */
export const dreamExplainOutputSchema = z.strictObject({
  ...place,
  ...claim,
  ...signals,
  fate,
  decidedAt: z.nullable(when),
  sweep: z.nullable(z.string()),
  tags: z.array(z.string()),
  score,
  parts: z.array(
    z.strictObject({
      part: z.enum([
        'frequency',
        'relevance',
        'diversity',
        'recency',
        'consolidation',
        'conceptual',
        'light',
        'rem',
      ]),
      value: part,
      weight: part,
      adds: part,
      why: z.string(),
    }),
  ),
  gates: z.array(gate),
  passes: z.boolean(),
  note: z.enum(['found', 'changed', 'missing']),
  longTermMemory: z.enum(['new', 'present', 'said', 'renews']),
  warnings,
});

/** `svc dream signals --json`. */
export const dreamSignalsOutputSchema = z.strictObject({
  ...place,
  total: count,
  claims: z.array(
    z.strictObject({ ...claim, ...signals, fate, averageScore: part, maxScore: part }),
  ),
  warnings,
});

/** `svc dream promote --json`. */
export const dreamPromoteOutputSchema = z.strictObject({
  ...place,
  ...decision.shape,
  sweep: z.nullable(z.string()),
  warnings,
});

/** `svc dream reject --json`. */
export const dreamRejectOutputSchema = z.strictObject({ ...place, ...claim, warnings });

/** `svc dream undo --json`. */
export const dreamUndoOutputSchema = z.strictObject({
  ...place,
  sweep: z.string(),
  undone: count,
  kept: z.array(z.strictObject({ key, why: z.enum(['edited', 'gone']) })),
  warnings,
});

/** `svc dream schedule --json`; the last three by its flags. */
export const dreamScheduleOutputSchema = z.strictObject({
  enabled: z.boolean(),
  frequency: z.string(),
  timeZone: z.nullable(z.string()),
  runs: z.array(when),
  crontab: z.optional(z.string()),
  service: z.optional(z.string()),
  timer: z.optional(z.string()),
  warnings,
});

/** `svc dream enable --json` and `svc dream disable --json`. */
export const dreamSwitchOutputSchema = z.strictObject({
  enabled: z.boolean(),
  file: z.string(),
  path: z.string(),
  changed: z.boolean(),
  nextRunAt: z.nullable(when),
  warnings,
});

type Output<S extends z.ZodMiniType> = DeepReadonly<Omit<z.infer<S>, 'warnings'>>;

export type SweepOutput = DeepReadonly<z.infer<typeof sweep>>;
export type DecisionOutput = DeepReadonly<z.infer<typeof decision>>;
/** One workspace of `svc dream run`: how its sweep went, or why there was none. */
export type SweptOutput = DeepReadonly<z.infer<typeof swept>>;
export type NotSweptOutput = DeepReadonly<z.infer<typeof notSwept>>;
/** The documents without their warnings, which the command base adds. */
export type DreamRunOutput = Output<typeof dreamRunOutputSchema>;
export type DreamStatusOutput = Output<typeof dreamStatusOutputSchema>;
export type DreamListOutput = Output<typeof dreamListOutputSchema>;
export type DreamShowOutput = Output<typeof dreamShowOutputSchema>;
export type DreamCandidatesOutput = Output<typeof dreamCandidatesOutputSchema>;
export type DreamExplainOutput = Output<typeof dreamExplainOutputSchema>;
export type DreamSignalsOutput = Output<typeof dreamSignalsOutputSchema>;
export type DreamPromoteOutput = Output<typeof dreamPromoteOutputSchema>;
export type DreamRejectOutput = Output<typeof dreamRejectOutputSchema>;
export type DreamUndoOutput = Output<typeof dreamUndoOutputSchema>;
export type DreamScheduleOutput = Output<typeof dreamScheduleOutputSchema>;
export type DreamSwitchOutput = Output<typeof dreamSwitchOutputSchema>;
