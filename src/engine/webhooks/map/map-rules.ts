import type { MapRule } from '../../config/index.js';
import {
  type ActionField,
  type ActionName,
  actionFields,
  asText,
  flowTaskFields,
} from '../../flows/action-fields.js';
import type { StartFlow } from '../../flows/action-schemas.js';
import type { FlowAction } from '../../flows/index.js';
import { pointerKeys, valueAtKeys } from '../../support/json-pointer.js';
import {
  fillTemplate,
  parseTemplate,
  type TemplateLimits,
  TooLarge,
} from '../../support/json-template.js';
import { readAction } from '../read-action.js';

/** What comes in as text from outside is cut or refused beyond these. */
const LIMITS: TemplateLimits = { textChars: 8192, jsonChars: 65_536 };

/** The event and the body of a verified request. */
export interface MappedRequest {
  readonly event: string | undefined;
  readonly body: unknown;
}

/** What the rules of a route make of a request. Rules are counted from 1. */
export type Mapped =
  | { readonly type: 'unmatched' }
  | { readonly type: 'ignored'; readonly rule: number }
  | { readonly type: 'invalid'; readonly rule: number; readonly error: string }
  | {
      readonly type: 'action';
      readonly rule: number;
      readonly action: FlowAction | StartFlow;
    };

export type RuleSet = (request: MappedRequest) => Mapped;

/** Prepares the rules of a route. The first one that matches applies. */
export function compileRules(rules: readonly MapRule[]): RuleSet {
  const compiled = rules.map((rule) => ({ matches: matcherOf(rule), make: makerOf(rule) }));
  return (request) => {
    const at = compiled.findIndex(({ matches }) => matches(request));
    const found = compiled[at];
    if (found === undefined) return { type: 'unmatched' };
    return { rule: at + 1, ...made(() => found.make(request.body)) };
  };
}

type Made =
  | { readonly type: 'ignored' }
  | { readonly type: 'invalid'; readonly error: string }
  | { readonly type: 'action'; readonly action: FlowAction | StartFlow };

function made(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { type: 'invalid', error: `a value has more than ${LIMITS.jsonChars} characters` };
  }
}

type Condition = NonNullable<MapRule['when']>[string];
type Matches = (request: MappedRequest) => boolean;

function matcherOf({ when = {} }: MapRule): Matches {
  const conditions = Object.entries(when).map(([name, condition]): Matches => {
    const fits = conditionOf(condition);
    if (name === 'event') return ({ event }) => fits(event);
    const keys = pointerKeys(name) ?? [];
    return ({ body }) => fits(valueAtKeys(body, keys));
  });
  return (request) => conditions.every((holds) => holds(request));
}

function conditionOf(condition: Condition): (value: unknown) => boolean {
  if (typeof condition !== 'object') return (value) => value === condition;
  if (!('exists' in condition)) {
    const values: readonly unknown[] = condition;
    return (value) => values.includes(value);
  }
  // Vendors write null for what is not there.
  return (value) => (value !== undefined && value !== null) === condition.exists;
}

function makerOf({ action, set = {}, task }: MapRule): (body: unknown) => Made {
  if (action === undefined) return () => ({ type: 'ignored' });
  const fill = fillerOf(actionFields(action), set);
  const own = (body: unknown) => readMade(action, fill(body));
  if (task === undefined || action !== 'create_flow') return own;
  const fillTask = fillerOf(flowTaskFields(), task);
  return (body) => {
    const flow = own(body);
    if (flow.type !== 'action' || flow.action.action !== 'create_flow') return flow;
    const added = readMade('run_task', { ...fillTask(body), flowId: NEW_FLOW });
    if (added.type !== 'action' || added.action.action !== 'run_task') return added;
    const { flowId: _, parentTaskId: __, ...rest } = added.action;
    return { type: 'action', action: { action: 'start_flow', flow: flow.action, task: rest } };
  };
}

/** Its id is not known before it is created. */
const NEW_FLOW = 'new';

function fillerOf(
  fields: ReadonlyMap<string, ActionField>,
  set: Readonly<Record<string, unknown>>,
): (body: unknown) => Readonly<Record<string, unknown>> {
  const templates = Object.entries(set).map(
    ([name, value]) => [name, parseTemplate(value), fields.get(name)?.isText ?? false] as const,
  );
  return (body) => {
    // A loop: every request passes it.
    const filled: Record<string, unknown> = {};
    for (const [name, template, isText] of templates) {
      const value = fillTemplate(template, body, LIMITS);
      if (value !== undefined) filled[name] = isText ? asText(value) : value;
    }
    return filled;
  };
}

function readMade(action: ActionName, fields: Readonly<Record<string, unknown>>): Made {
  const read = readAction({ action, ...fields });
  return read.ok ? { type: 'action', action: read.action } : { type: 'invalid', error: read.error };
}
