import { actionFields, flowTaskFields } from '../../flow-model/action-template.js';
import { pointerKeys } from '../../support/json-pointer.js';
import { type ConfigPath, formatPath } from '../config-path.js';
import { writtenPath } from '../resolve-config.js';
import type { MapRule } from '../resolved.js';
import type { RouteInput } from '../schema/index.js';
import { senderPlaces } from '../sender-places.js';
import { fieldFaults } from './action-templates.js';
import { fault, type Rule, type RuleFinding, warning, writtenRoutes } from './rule.js';

/** Without a way to know its sender, a route would be open to everyone. */
export const routesKnowTheirSender: Rule = function* (input) {
  for (const { route, path } of writtenRoutes(input)) {
    if (route.secret === undefined && route.verify === undefined) {
      yield fault('missing-key', path, {
        message: `"secret" is missing in ${formatPath(path)}`,
        expected: 'secret, or verify for a sender that signs its requests',
      });
    } else if (route.secret !== undefined && route.verify !== undefined) {
      yield fault('verify-invalid', [...path, 'secret'], {
        related: [[...path, 'verify']],
        message: 'the route has both secret and verify',
        expected: 'only one of them; verify.secrets can contain several secrets',
      });
    }
    if (route.verify?.scheme === 'hmac') yield* signedTime(route.verify, [...path, 'verify']);
  }
};

/** An unreachable route would be shown as served, but every request would get 400 or 404. */
export const routesCanBeReached: Rule = function* (input) {
  for (const { id, route, path } of writtenRoutes(input)) {
    if (route.enabled === false) continue;
    const why = unreachable(id, route);
    if (why === undefined) continue;
    yield fault('route-unreachable', route.path === undefined ? path : [...path, 'path'], {
      message: `no request can reach the route ${JSON.stringify(id)}: ${why}`,
      expected:
        route.path === undefined ? 'another id, or a path' : 'a path as in the URL of a request',
    });
  }
};

/** Why a request cannot have the path of a route; undefined if it can. */
function unreachable(id: string, route: RouteInput): string | undefined {
  const path = writtenPath(id, route);
  if (/[?#]/u.test(path)) return 'a path ends at "?" and "#"';
  if (!path.isWellFormed()) return 'its path is not valid Unicode';
  try {
    const isDot = (segment: string): boolean => segment === '.' || segment === '..';
    if (!decodeURI(path).split('/').some(isDot)) return undefined;
    return 'clients remove "." and ".." from a path';
  } catch {
    // Senders escape an id as they escape all names.
    if (route.path === undefined) return undefined;
    return 'its path has a "%" that starts no valid escape ("%25" is a "%")';
  }
}

type Hmac = Extract<NonNullable<RouteInput['verify']>, { readonly scheme: 'hmac' }>;

/** A time in a header counts only if it is signed, and one in the body always is. */
function* signedTime({ payload = '', timestamp }: Hmac, path: ConfigPath): Iterable<RuleFinding> {
  const isSigned = payload.includes('{timestamp}');
  const isInHeader = timestamp !== undefined && !timestamp.startsWith('/');
  if (isInHeader && !isSigned) {
    yield fault('verify-invalid', [...path, 'timestamp'], {
      message: `the payload does not contain {timestamp}, so ${timestamp} is not signed: anyone could give an old request a new time`,
      expected: 'a payload such as "{timestamp}.{body}", as the sender signs it; or no timestamp',
    });
  }
  if (isSigned && !isInHeader) {
    yield fault('verify-invalid', [...path, 'payload'], {
      message: 'the payload contains {timestamp}, but no header with the timestamp is known',
      expected: 'timestamp: the name of a header',
    });
  }
}

/** Rules of `map` must be able to match and to make a valid action. */
export const mapRulesWork: Rule = function* (input) {
  for (const { route, path } of writtenRoutes(input)) {
    const rules = route.map ?? [];
    for (const [at, rule] of rules.entries()) {
      const rulePath: ConfigPath = [...path, 'map', at];
      yield* conditionFaults(rule, rulePath, senderPlaces(route).event);
      yield* actionFaults(rule, rulePath);
      const earlier = rules.slice(0, at).findIndex((other) => covers(other, rule));
      if (earlier === -1) continue;
      yield warning('rule-never-matches', rulePath, {
        related: [[...path, 'map', earlier]],
        message: `rule ${at + 1} never matches: rule ${earlier + 1} matches whatever it would match`,
        expected: 'the more specific rule first',
      });
    }
  }
};

/** Settings of a route without an effect. */
export const routeSettingsAreUsed: Rule = function* (input) {
  for (const { route, path } of writtenRoutes(input)) {
    for (const [keys, why] of unusedKeys(route)) {
      yield warning('setting-unused', [...path, ...keys], {
        message: `${keys.join('.')} has no effect: ${why}`,
      });
    }
    if (route.map?.length !== 0) continue;
    const rejects = route.unmatched === 'reject';
    yield warning('rule-never-matches', [...path, 'map'], {
      message: `map has no rules: every request is ${rejects ? 'refused' : 'ignored'}`,
      expected: 'at least one rule; without map, bodies are actions',
    });
  }
};

function* unusedKeys(route: RouteInput): Generator<[keys: readonly string[], why: string]> {
  const { verify, map, unmatched, dedupeHours } = route;
  if (verify?.toleranceSeconds !== undefined && !signsTime(verify)) {
    yield [['verify', 'toleranceSeconds'], 'requests of this route have no signed time'];
  }
  if (dedupeHours !== undefined && senderPlaces(route).id.length === 0) {
    yield [['dedupeHours'], 'the route has no deliveryId'];
  }
  if (unmatched !== undefined && map === undefined) {
    yield [['unmatched'], 'the route has no map'];
  }
}

const TIMED_SCHEMES: readonly string[] = ['standard-webhooks', 'stripe', 'slack'];

function signsTime(verify: NonNullable<RouteInput['verify']>): boolean {
  return verify.scheme === 'hmac'
    ? verify.timestamp !== undefined
    : TIMED_SCHEMES.includes(verify.scheme);
}

type Condition = NonNullable<MapRule['when']>[string];

/** Whether a rule matches everything that another one does. */
function covers(rule: MapRule, other: MapRule): boolean {
  return Object.entries(rule.when ?? {}).every(([name, condition]) => {
    const narrow = other.when?.[name];
    return narrow !== undefined && isWithin(narrow, condition);
  });
}

function isWithin(narrow: Condition, wide: Condition): boolean {
  const wideValues = valuesOf(wide);
  const values = valuesOf(narrow);
  if (wideValues === undefined) {
    return isAbsence(narrow) === isAbsence(wide);
  }
  return values?.every((value) => wideValues.includes(value)) ?? false;
}

function isAbsence(condition: Condition): boolean {
  return typeof condition === 'object' && 'exists' in condition && !condition.exists;
}

/** Undefined for `{exists}`. */
function valuesOf(condition: Condition): readonly unknown[] | undefined {
  if (typeof condition !== 'object') return [condition];
  return 'exists' in condition ? undefined : condition;
}

/** @param event where requests have the name of their event; undefined if nowhere */
function* conditionFaults(
  { when = {} }: MapRule,
  path: ConfigPath,
  event: string | undefined,
): Iterable<RuleFinding> {
  for (const [name, condition] of Object.entries(when)) {
    const conditionPath = [...path, 'when', name];
    if (name === 'event' && event === undefined && !isAbsence(condition)) {
      yield warning('rule-never-matches', conditionPath, {
        message: 'the rule never matches: requests of this route have no event',
        expected: 'eventName in the route, or a pointer into the body instead of event',
      });
    }
    if (name !== 'event' && pointerKeys(name) === undefined) {
      yield fault('mapping-invalid', conditionPath, {
        message: `${JSON.stringify(name)} is not a JSON pointer`,
        expected: 'event, or a pointer like "/pull_request/state"',
      });
    }
    if (valuesOf(condition)?.length === 0) {
      yield warning('rule-never-matches', conditionPath, {
        message: 'the rule never matches: no value is allowed here',
        expected: 'at least one value',
      });
    }
    if (
      name === 'event' &&
      event !== undefined &&
      valuesOf(condition)?.some((value) => typeof value !== 'string')
    ) {
      yield warning('rule-never-matches', conditionPath, {
        message: 'an event is a string: a number, true or false never matches it',
        expected: 'the value in quotes',
      });
    } else if (
      valuesOf(condition)?.some((value) => Number.isInteger(value) && !Number.isSafeInteger(value))
    ) {
      yield warning('rule-never-matches', conditionPath, {
        message: `a number beyond ${Number.MAX_SAFE_INTEGER} never matches: it is read as a string`,
        expected: 'the number in quotes',
      });
    }
  }
}

function* actionFaults(rule: MapRule, path: ConfigPath): Iterable<RuleFinding> {
  const { action, ignore = false, set = {}, task } = rule;
  if ((action === undefined) !== ignore) {
    yield fault('mapping-invalid', path, {
      message: ignore ? 'the rule has an action and ignores too' : 'the rule does nothing',
      expected: 'an action, or ignore: true',
    });
  }
  if (action === undefined) return;
  yield* fieldFaults({ owner: action, known: actionFields(action) }, set, [...path, 'set']);
  if (task === undefined) return;
  if (action !== 'create_flow') {
    yield fault('mapping-invalid', [...path, 'task'], {
      message: `${action} creates no flow for a task`,
      expected: 'task only with action "create_flow"',
    });
  }
  yield* fieldFaults({ owner: 'task', known: flowTaskFields() }, task, [...path, 'task']);
}
