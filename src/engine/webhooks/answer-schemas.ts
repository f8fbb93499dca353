import * as z from 'zod/mini';
import { count } from '../errors/output-schema.js';
import { flowViewSchema, taskViewSchema } from '../flow-model/record-schemas.js';
import { type JsonValue, TASK_RUNTIMES, TASK_STATUSES } from '../flows/index.js';

/*
 * The schemas of answers (facts §2.3 to 2.5). Tests check answers against them, and the OpenAPI document
 * contains them.
 */

const text = () => z.exactOptional(z.string());

const countsOf = (names: readonly string[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, count])));

export const taskSummarySchema = z.strictObject({
  total: count,
  active: count,
  terminal: count,
  failures: count,
  byStatus: countsOf(TASK_STATUSES),
  byRuntime: countsOf(TASK_RUNTIMES),
});

/** A task; `get_task` and `list_tasks` add the result of its worker. */
export const taskAnswerSchema = z.extend(taskViewSchema, {
  result: z.exactOptional(z.custom<JsonValue>()),
});

/** All fields of `result`; which ones are present depends on the action and its outcome. */
const resultSchema = z.strictObject({
  flow: z.exactOptional(z.nullable(flowViewSchema)),
  flows: z.exactOptional(z.array(flowViewSchema)),
  truncated: z.exactOptional(z.boolean()),
  nextCursor: z.exactOptional(text()),
  task: z.exactOptional(z.nullable(taskAnswerSchema)),
  tasks: z.exactOptional(z.array(taskAnswerSchema)),
  summary: z.exactOptional(z.nullable(taskSummarySchema)),
  created: z.exactOptional(z.boolean()),
  applied: z.exactOptional(z.boolean()),
  found: z.exactOptional(z.boolean()),
  cancelled: z.exactOptional(z.boolean()),
  code: text(),
  reason: text(),
  current: z.exactOptional(flowViewSchema),
});

/** The body of an action that was performed. */
export const successSchema = z.strictObject({
  ok: z.literal(true),
  routeId: z.string(),
  code: z.exactOptional(z.literal('cancel_pending')),
  result: resultSchema,
});

/** The body of a rejected request. */
export const rejectionSchema = z.strictObject({
  ok: z.literal(false),
  routeId: z.string(),
  code: z.string(),
  error: z.string(),
  result: resultSchema,
});

/** The body of an answer to a request that asked for no action. */
export const receivedSchema = z.strictObject({
  ok: z.literal(true),
  routeId: z.string(),
  code: z.enum(['ignored', 'ping']),
  result: z.strictObject({}),
});
