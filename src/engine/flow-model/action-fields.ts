import { ACTION_SCHEMAS } from './action-schemas.js';

export type ActionName = keyof typeof ACTION_SCHEMAS;

/** A field of an action, for rules that fill it from the body of another system. */
export interface ActionField {
  readonly isRequired: boolean;
  /** Numbers and booleans are written as text. */
  readonly isText: boolean;
  /** It decides who runs something on whose behalf, so it cannot come from a body. */
  readonly isFixed: boolean;
  readonly accepts: (value: unknown) => boolean;
}

const FIXED: ReadonlySet<string> = new Set([
  'agentId',
  'childSessionKey',
  'controllerId',
  'runtime',
]);

/** What a task has from the flow that is created with it. */
const OF_ITS_FLOW: readonly string[] = ['action', 'flowId', 'parentTaskId'];

/** The fields of an action by name. */
export function actionFields(action: ActionName): ReadonlyMap<string, ActionField> {
  return fieldsOf(action, ['action']);
}

/** The fields of a task that is created together with its flow. */
export function flowTaskFields(): ReadonlyMap<string, ActionField> {
  return fieldsOf('run_task', OF_ITS_FLOW);
}

function fieldsOf(action: ActionName, besides: readonly string[]) {
  const { shape } = ACTION_SCHEMAS[action];
  const fields = new Map<string, ActionField>();
  for (const [name, schema] of Object.entries(shape)) {
    if (besides.includes(name)) continue;
    const isText = schema.safeParse('text').success && !schema.safeParse(1).success;
    fields.set(name, {
      isRequired: !schema.safeParse(undefined).success && schema._zod.optin !== 'optional',
      isText,
      isFixed: FIXED.has(name),
      accepts: (value) => schema.safeParse(isText ? asText(value) : value).success,
    });
  }
  return fields;
}

/** A scalar for a field of text. */
export function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
