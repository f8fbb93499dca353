import type * as z from 'zod/mini';
import { groupBy, uniqueBy } from '../support/lists.js';
import { isRecord, suggestName, withEllipsis } from '../support/text.js';
import { type ConfigFault, faultAt } from './config-fault.js';
import { type ConfigPath, formatPath, type PathSegment, valueAt } from './config-path.js';
import type { ConfigDocument } from './document.js';
import { type ConfigInput, configSchema } from './schema/index.js';
import {
  describeType,
  describeTypes,
  enumChoices,
  keysAt,
  mapKeySchema,
  pathOfKey,
  schemasAt,
  takesNoText,
} from './schema/walk.js';

type Issue = z.core.$ZodIssue;

/** Faults, and the part of the data that the schema accepts; undefined if nothing usable remains. */
export function checkSchema(document: ConfigDocument): {
  readonly faults: readonly ConfigFault[];
  readonly accepted: ConfigInput | undefined;
} {
  const result = configSchema.safeParse(document.value);
  if (result.success) return { faults: [], accepted: result.data };
  const { issues } = result.error;
  return {
    // The length of a text is checked even where a list is expected.
    faults: uniqueBy(
      issues.flatMap((issue) => faultsOf(document, issue, toPath(issue.path))),
      ({ path, location }) => `${path}\n${location.line}:${location.column}`,
    ),
    accepted: acceptedPart(document.value, issues),
  };
}

function faultsOf(
  document: ConfigDocument,
  issue: Issue,
  path: ConfigPath,
): readonly ConfigFault[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((name) => unknownKey(document, path, name));
    case 'invalid_union':
      return unionFaults(document, issue, path);
    case 'invalid_key':
      return [wrongKey(document, path)];
    case 'invalid_type':
      // A fraction where a whole number is expected is a number nevertheless.
      return [wrongValue(document, path, issue.expected !== 'int')];
    default:
      return [wrongValue(document, path, false)];
  }
}

/** Descends into the intended option: the one whose faults are deeper than the value itself. */
function unionFaults(
  document: ConfigDocument,
  issue: z.core.$ZodIssueInvalidUnion,
  path: ConfigPath,
): readonly ConfigFault[] {
  const intended = issue.errors.find((issues) => issues.every(goesDeeper));
  if (intended === undefined || intended.length === 0) {
    return [wrongValue(document, path, typeof valueAt(document.value, path) !== 'string')];
  }
  return intended.flatMap((inner) => faultsOf(document, inner, [...path, ...toPath(inner.path)]));
}

function goesDeeper(issue: Issue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys';
}

function unknownKey(document: ConfigDocument, parent: ConfigPath, name: string): ConfigFault {
  const at = [...parent, name];
  const known = keysAt(parent, document.value);
  const suggestion = suggestName(name, known) ?? pathOfKey(name);
  // As a suggestion, a key of the top level would be the same word again.
  const isOfTopLevel = suggestion === name;
  const place = isOfTopLevel ? ': it belongs at the top level' : '';
  return faultAt('unknown-key', at, document.locateKey(at), {
    message: `unknown key ${JSON.stringify(name)} in ${describePlace(parent)}${place}`,
    expected: `one of ${known.join(', ')}`,
    suggestion: isOfTopLevel ? undefined : suggestion,
  });
}

function wrongKey(document: ConfigDocument, path: ConfigPath): ConfigFault {
  const [map] = schemasAt(path.slice(0, -1));
  const keyType = map && mapKeySchema(map);
  return faultAt('invalid-value', path, document.locateKey(path), {
    message: `${JSON.stringify(path.at(-1))} cannot be a key in ${describePlace(path.slice(0, -1))}`,
    expected: keyType && describeType(keyType),
  });
}

function wrongValue(document: ConfigDocument, path: ConfigPath, wrongType: boolean): ConfigFault {
  const schemas = schemasAt(path, document.value);
  const expected = describeTypes(schemas);
  const value = valueAt(document.value, path);
  const location = document.locate(path);
  if (value === undefined) {
    const name = JSON.stringify(path.at(-1));
    const message = `${name} is missing in ${describePlace(path.slice(0, -1))}`;
    return faultAt('missing-key', path, location, { message, expected });
  }
  const choices = schemas[0] === undefined ? [] : enumChoices(schemas[0]);
  const isHarmless = schemas.length > 0 && schemas.every(takesNoText);
  const isShown = isHarmless ? typeof value !== 'object' : !wrongType && typeof value === 'number';
  const shownText = isShown ? shownValue(value) : wrongType ? describeValue(value) : undefined;
  return faultAt(wrongType ? 'wrong-type' : 'invalid-value', path, location, {
    expected,
    message: `${labelOf(path)} must be ${expected}${shownText === undefined ? '' : ` (got ${shownText})`}`,
    suggestion: typeof value === 'string' ? suggestName(value, choices) : undefined,
  });
}

function labelOf(path: ConfigPath): string {
  const last = path.at(-1);
  if (last === undefined) return 'the configuration';
  return typeof last === 'number'
    ? `item ${last + 1} of ${formatPath(path.slice(0, -1))}`
    : JSON.stringify(last);
}

function describePlace(path: ConfigPath): string {
  return path.length === 0 ? 'the configuration' : formatPath(path);
}

/** The type of a value where text is accepted: it may be a secret. */
function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Longer than any name to choose. */
const SHOWN_CHARS = 40;

/** A value where none can be a secret: instead of a number, a switch or a name to choose. */
function shownValue(value: unknown): string {
  // JSON has no infinity, which is how a number such as 1e309 is read.
  return withEllipsis(typeof value === 'number' ? `${value}` : JSON.stringify(value), SHOWN_CHARS);
}

/** JSON has no symbol keys. */
function toPath(path: readonly PropertyKey[]): ConfigPath {
  return path.filter((segment): segment is PathSegment => typeof segment !== 'symbol');
}

/** Removing a part can invalidate its parent; limits the rounds. */
const MAX_ROUNDS = 8;

/**
 * The data without invalid parts, so that rules can check the rest. A list with an invalid item is
 * removed as a whole, which keeps positions in paths valid. Undefined if the schema accepts none of
 * it.
 */
function acceptedPart(data: unknown, issues: readonly Issue[]): ConfigInput | undefined {
  let rest = data;
  let found = issues;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    rest = without(
      rest,
      found.flatMap((issue) => faultyParts(rest, issue)),
    );
    const result = configSchema.safeParse(rest);
    if (result.success) return result.data;
    found = result.error.issues;
  }
  return undefined;
}

function faultyParts(data: unknown, issue: Issue): readonly ConfigPath[] {
  const path = toPath(issue.path);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...path, key]);
  // A missing key cannot be removed, but its parent can.
  return [valueAt(data, path) === undefined ? path.slice(0, -1) : path];
}

function without(value: unknown, parts: readonly ConfigPath[]): unknown {
  if (parts.length === 0) return value;
  if (!isRecord(value) || parts.some((path) => path.length === 0)) return undefined;
  const byKey = groupBy(parts, ([first]) => String(first));
  const kept = Object.entries(value).map(([key, item]) => {
    const below = (byKey.get(key) ?? []).map(([, ...rest]) => rest);
    return [key, without(item, below)] as const;
  });
  return Object.fromEntries(kept.filter(([, item]) => item !== undefined));
}
