import type * as z from 'zod/mini';
import { type ConfigPath, formatPath, type PathSegment, valueAt } from './config-path.js';
import type { ConfigDocument } from './document.js';
import type { ConfigFault } from './fault.js';
import type { ConfigInput } from './input.js';
import { acceptedPart } from './schema/accepted-part.js';
import { describeType, describeTypes } from './schema/describe-type.js';
import { configSchema } from './schema/index.js';
import {
  enumChoices,
  knownKeys,
  mapKeySchema,
  pathOfKey,
  schemaAt,
  schemasAt,
} from './schema/walk.js';
import { suggestName } from './suggest.js';

type Issue = z.core.$ZodIssue;

/** What the schema says about the data of a document. */
export interface SchemaVerdict {
  /** Every way in which the data breaks the schema. */
  readonly faults: readonly ConfigFault[];
  /** The part of the data that the schema accepts; undefined when nothing usable is left. */
  readonly accepted: ConfigInput | undefined;
}

/** Holds the data of a document against the schema. */
export function checkSchema(document: ConfigDocument): SchemaVerdict {
  const result = configSchema.safeParse(document.value);
  if (result.success) return { faults: [], accepted: result.data };
  const { issues } = result.error;
  return {
    faults: issues.flatMap((issue) => faultsOf(document, issue, toPath(issue.path))),
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
    default:
      return [wrongValue(document, path, issue.code === 'invalid_type')];
  }
}

/** Descends into the option that was meant: the one whose faults lie deeper than the value itself. */
function unionFaults(
  document: ConfigDocument,
  issue: z.core.$ZodIssueInvalidUnion,
  path: ConfigPath,
): readonly ConfigFault[] {
  const meant = issue.errors.find((issues) => issues.every((inner) => goesDeeper(inner)));
  if (meant === undefined || meant.length === 0)
    return [wrongValue(document, path, isNotText(document, path))];
  return meant.flatMap((inner) => faultsOf(document, inner, [...path, ...toPath(inner.path)]));
}

function goesDeeper(issue: Issue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys';
}

function isNotText(document: ConfigDocument, path: ConfigPath): boolean {
  return typeof valueAt(document.value, path) !== 'string';
}

function unknownKey(document: ConfigDocument, parent: ConfigPath, name: string): ConfigFault {
  const at = [...parent, name];
  const schema = schemaAt(configSchema, parent, document.value);
  const known = schema === undefined ? [] : knownKeys(schema);
  const suggestion = suggestName(name, known) ?? elsewhere(name);
  return {
    severity: 'fault',
    code: 'unknown-key',
    path: formatPath(at),
    location: document.locateKey(at),
    message: `there is no key ${JSON.stringify(name)} in ${describePlace(parent)}`,
    expected: `one of ${known.join(', ')}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** A right key in a wrong place. */
function elsewhere(name: string): string | undefined {
  const path = pathOfKey(configSchema, name);
  return path === undefined ? undefined : formatPath(path);
}

function wrongKey(document: ConfigDocument, path: ConfigPath): ConfigFault {
  const parent = schemaAt(configSchema, path.slice(0, -1));
  const keyType = parent === undefined ? undefined : mapKeySchema(parent);
  return {
    severity: 'fault',
    code: 'invalid-value',
    path: formatPath(path),
    location: document.locateKey(path),
    message: `${JSON.stringify(path.at(-1))} cannot be a key in ${describePlace(path.slice(0, -1))}`,
    ...(keyType === undefined ? {} : { expected: describeType(keyType) }),
  };
}

function wrongValue(document: ConfigDocument, path: ConfigPath, wrongType: boolean): ConfigFault {
  const schemas = schemasAt(configSchema, path, document.value);
  const expected = describeTypes(schemas);
  const value = valueAt(document.value, path);
  const place = {
    severity: 'fault',
    path: formatPath(path),
    location: document.locate(path),
    expected,
  } as const;
  if (value === undefined) {
    const name = JSON.stringify(path.at(-1));
    const message = `${name} is missing in ${describePlace(path.slice(0, -1))}`;
    return { ...place, code: 'missing-key', message };
  }
  const found = wrongType ? `, not ${describeValue(value)}` : '';
  return {
    ...place,
    code: wrongType ? 'wrong-type' : 'invalid-value',
    message: `${labelOf(path)} must be ${expected}${found}`,
    ...suggestValue(schemas[0], value),
  };
}

function labelOf(path: ConfigPath): string {
  const last = path.at(-1);
  if (last === undefined) return 'the configuration';
  return typeof last === 'number'
    ? `item ${last} of ${formatPath(path.slice(0, -1))}`
    : JSON.stringify(last);
}

function describePlace(path: ConfigPath): string {
  return path.length === 0 ? 'the configuration' : formatPath(path);
}

function suggestValue(
  schema: z.core.$ZodType | undefined,
  value: unknown,
): { readonly suggestion?: string } {
  if (schema === undefined || typeof value !== 'string') return {};
  const suggestion = suggestName(value, enumChoices(schema));
  return suggestion === undefined ? {} : { suggestion };
}

/** The kind of a value, never the value itself: it may be a secret. */
function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** JSON has no symbol keys, so none are lost here. */
function toPath(path: readonly PropertyKey[]): ConfigPath {
  return path.filter((segment): segment is PathSegment => typeof segment !== 'symbol');
}
