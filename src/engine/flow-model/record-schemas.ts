import * as z from 'zod/mini';
import { count, field } from '../errors/output-schema.js';
import {
  type Field,
  type Fields,
  type JsonValue,
  type PrintedOf,
  printedFields,
  type RecordOf,
  webhookFields,
} from './fields.js';
import { FLOW_FIELDS } from './flow-record.js';
import { HISTORY_FIELDS } from './history-record.js';
import { NOTIFICATION_FIELDS } from './notification-record.js';
import { PAUSE_FIELDS, TASK_FIELDS } from './task-record.js';

/*
 * The schemas of flows and tasks, derived from their fields. Tests check output against them, and
 * docs/json.md and the OpenAPI document are generated from them; only the command of the latter loads them.
 */

function schemaOf({ kind }: Field, time: z.ZodMiniType): z.ZodMiniType {
  switch (kind) {
    case 'count':
      return count;
    case 'flag':
      return z.boolean();
    case 'json':
      return z.custom<JsonValue>();
    case 'number':
      return z.number();
    case 'text':
      return z.string();
    case 'time':
      return time;
    default:
      return z.enum(kind);
  }
}

type PrintedShape<Fs extends Fields> = {
  [Name in keyof PrintedOf<Fs>]: z.ZodMiniType<PrintedOf<Fs>[Name]>;
};

/** A record as operators see it. */
export function printedSchema<Fs extends Fields>(fields: Fs) {
  const shape = printedFields(fields).map(([printed, , definition]) => {
    const schema = schemaOf(definition, z.iso.datetime());
    const described = definition.nullable === true ? z.nullable(schema) : schema;
    return [printed, field(described, definition.meaning)];
  });
  return z.strictObject(Object.fromEntries(shape) as PrintedShape<Fs>);
}

type ViewShape<Fs extends Fields> = {
  [Name in keyof Fs as Fs[Name] extends { webhooks: false } ? never : Name]: ViewField<
    Fs[Name],
    z.ZodMiniType<Fs[Name]['kind'] extends 'json' ? JsonValue : Exclude<RecordOf<Fs>[Name], null>>
  >;
};
type ViewField<F, Schema extends z.ZodMiniType> = F extends
  | { nullable: true }
  | { webhooks: 'maybe' }
  ? z.ZodMiniExactOptional<Schema>
  : Schema;

/** A record as outside systems see it. Links in meanings would be broken there. */
function viewSchema<Fs extends Fields>(fields: Fs) {
  const shape = webhookFields(fields).map(([name, definition, isAlwaysPresent]) => {
    const schema = schemaOf(definition, count);
    const meaning = definition.meaning.replaceAll(/\[([^\][]+)\]\([^()]+\)/gu, '$1');
    return [name, field(isAlwaysPresent ? schema : z.exactOptional(schema), meaning)];
  });
  return z.strictObject(Object.fromEntries(shape) as ViewShape<Fs>);
}

export const flowSchema = printedSchema(FLOW_FIELDS);
export const taskSchema = printedSchema(TASK_FIELDS);
export const notificationSchema = printedSchema(NOTIFICATION_FIELDS);
export const pauseSchema = printedSchema(PAUSE_FIELDS);
export const historyEntrySchema = printedSchema(HISTORY_FIELDS);
export const flowViewSchema = viewSchema(FLOW_FIELDS);
export const taskViewSchema = viewSchema(TASK_FIELDS);
