import type * as z from 'zod/mini';
import {
  fillTemplate,
  parseTemplate,
  type TemplateLimits,
  TooLarge,
} from '../support/json-pointer.js';
import { withEllipsis } from '../support/text.js';
import {
  ACTION_NAMES,
  ACTION_SCHEMAS,
  actionSchema,
  type FlowAction,
  type StartFlow,
} from './action-schemas.js';

type ActionName = keyof typeof ACTION_SCHEMAS;

/** What comes in as text from outside is cut or refused beyond these. */
const LIMITS: TemplateLimits = { textChars: 8192, jsonChars: 65_536 };

type FieldTemplates = Readonly<Record<string, unknown>>;

/** An action whose fields can contain JSON pointers. */
interface ActionParts {
  readonly action: ActionName;
  readonly set?: FieldTemplates | undefined;
  /** With `create_flow`: the fields of a task in the new flow. */
  readonly task?: FieldTemplates | undefined;
}

/** An action made from data, or why the data makes no valid one. */
export type MadeAction<Action = FlowAction | StartFlow> =
  | { readonly type: 'invalid'; readonly error: string }
  | { readonly type: 'action'; readonly action: Action };

/** Prepares an action that is filled with the values of data. */
export function actionTemplate(parts: ActionParts): (data: unknown) => MadeAction {
  const make = compileAction(parts);
  return (data) => {
    try {
      return make(data);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      return { type: 'invalid', error: `a value has more than ${LIMITS.jsonChars} characters` };
    }
  };
}

function compileAction({ action, set = {}, task }: ActionParts): (data: unknown) => MadeAction {
  const fill = fieldFiller(actionFields(action), set);
  const makeAction = (data: unknown) => readAction({ action, ...fill(data) });
  if (task === undefined || action !== 'create_flow') return makeAction;
  const fillTask = fieldFiller(flowTaskFields(), task);
  return (data) => {
    const flow = makeAction(data);
    if (flow.type !== 'action' || flow.action.action !== 'create_flow') return flow;
    const made = readAction({ action: 'run_task', ...fillTask(data), flowId: NEW_FLOW });
    if (made.type !== 'action' || made.action.action !== 'run_task') return made;
    const { flowId: _, parentTaskId: __, ...rest } = made.action;
    return { type: 'action', action: { action: 'start_flow', flow: flow.action, task: rest } };
  };
}

/** Its id is not known before it is created. */
const NEW_FLOW = 'new';

function fieldFiller(
  fields: ReadonlyMap<string, ActionField>,
  set: FieldTemplates,
): (data: unknown) => FieldTemplates {
  const templates = Object.entries(set).map(([name, value]) => {
    const field = fields.get(name);
    return [name, parseTemplate(value), field?.isText ?? false, absentValues(field)] as const;
  });
  return (data) => {
    // A loop: every request passes it.
    const filled: Record<string, unknown> = {};
    for (const [name, template, isText, absent] of templates) {
      const value = fillTemplate(template, data, LIMITS);
      const isAbsent = absent.includes(typeof value === 'string' ? value.trim() : value);
      if (!isAbsent) filled[name] = isText ? asText(value) : value;
    }
    return filled;
  };
}

/** What vendors write for what is not there, unless the field can have it. */
function absentValues(field: ActionField | undefined): readonly unknown[] {
  const optional = field?.isRequired === false ? [null, ''] : [null];
  return [undefined, ...optional.filter((value) => field?.faultOf(value) !== undefined)];
}

/** The most characters that are quoted of a name in a body. */
const MOST_QUOTED_CHARS = 64;

/** Validates a parsed body. The error is the first fault, as `<path>: <what is wrong>`. */
export function readAction(body: unknown): MadeAction<FlowAction> {
  const parsed = actionSchema.safeParse(body);
  if (parsed.success) return { type: 'action', action: parsed.data };
  // Only now: reporting the input makes every check slower.
  const issue = firstIssue(actionSchema, body);
  if (issue === undefined) return { type: 'invalid', error: 'body: is not an action' };
  const place = issue.path.length === 0 ? 'body' : issue.path.join('.');
  return { type: 'invalid', error: `${place}: ${issueText(issue)}` };
}

function firstIssue(schema: z.ZodMiniType, value: unknown): z.core.$ZodIssue | undefined {
  return schema.safeParse(value, { reportInput: true }).error?.issues[0];
}

function issueText(issue: z.core.$ZodIssue): string {
  const isValue = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  if (isValue && issue.input === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_union':
      return `must be one of: ${ACTION_NAMES.join(', ')}`;
    case 'unrecognized_keys':
      return `has the unknown field ${JSON.stringify(withEllipsis(issue.keys[0] ?? '', MOST_QUOTED_CHARS))}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_type':
      return `must be ${typeWords(issue.expected)}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be ${issue.minimum} or more`;
    case 'too_big':
      return `must be ${issue.maximum} or less`;
    default:
      return issue.message;
  }
}

function typeWords(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/u.test(expected) ? `an ${expected}` : `a ${expected}`;
}

/** A field of an action, for rules that fill it from the body of another system. */
export interface ActionField {
  readonly isRequired: boolean;
  /** Numbers and booleans are written as text. */
  readonly isText: boolean;
  /** It decides who runs something on whose behalf, so it cannot come from a body. */
  readonly isFixed: boolean;
  /** What is wrong with a value, such as "must not be empty"; undefined if nothing. */
  readonly faultOf: (value: unknown) => string | undefined;
}

const FIXED: ReadonlySet<string> = new Set([
  'agentId',
  'childSessionKey',
  'controllerId',
  'runtime',
]);

/** Fields of a task that follow from the flow that is created with it. */
const SET_BY_FLOW: readonly string[] = ['action', 'flowId', 'parentTaskId'];

/** The fields of an action by name. */
export function actionFields(action: ActionName): ReadonlyMap<string, ActionField> {
  return fieldsOf(action, ['action']);
}

/** The fields of a task that is created together with its flow. */
export function flowTaskFields(): ReadonlyMap<string, ActionField> {
  return fieldsOf('run_task', SET_BY_FLOW);
}

function fieldsOf(action: ActionName, excluded: readonly string[]) {
  const { shape } = ACTION_SCHEMAS[action];
  const fields = new Map<string, ActionField>();
  for (const [name, schema] of Object.entries(shape)) {
    if (excluded.includes(name)) continue;
    const isText = schema.safeParse('text').success && !schema.safeParse(1).success;
    fields.set(name, {
      isRequired: !schema.safeParse(undefined).success && schema._zod.optin !== 'optional',
      isText,
      isFixed: FIXED.has(name),
      faultOf: (value) => {
        const issue = firstIssue(schema, isText ? asText(value) : value);
        return issue === undefined ? undefined : issueText(issue);
      },
    });
  }
  return fields;
}

/** A scalar for a field of text. */
function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
