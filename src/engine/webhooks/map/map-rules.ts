import type { MapRule } from '../../config/index.js';
import { actionTemplate, type MadeAction } from '../../flow-model/action-template.js';
import { pointerKeys, valueAtKeys } from '../../support/json-pointer.js';

/** The event and the body of a verified request. */
export interface MappedRequest {
  readonly event: string | undefined;
  readonly body: unknown;
}

/** What a rule makes of a body. */
type Made = MadeAction | { readonly type: 'ignored' };

/** What the rules of a route make of a request. Rules are counted from 1. */
type MappingResult = { readonly type: 'unmatched' } | (Made & { readonly rule: number });

export type RuleSet = (request: MappedRequest) => MappingResult;

/** Prepares the rules of a route. The first one that matches applies. */
export function compileRules(rules: readonly MapRule[]): RuleSet {
  const compiled = rules.map((rule) => ({ matches: matcherOf(rule), make: compileAction(rule) }));
  return (request) => {
    const at = compiled.findIndex(({ matches }) => matches(request));
    const found = compiled[at];
    if (found === undefined) return { type: 'unmatched' };
    return { rule: at + 1, ...found.make(request.body) };
  };
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

function compileAction({ action, set, task }: MapRule): (body: unknown) => Made {
  return action === undefined ? () => ({ type: 'ignored' }) : actionTemplate({ action, set, task });
}
