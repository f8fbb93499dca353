import type { ActionField } from '../../flow-model/action-template.js';
import {
  fillTemplate,
  hasPointers,
  parseTemplate,
  pointerKeys,
  pointersIn,
  templateFault,
  valueAtKeys,
} from '../../support/json-pointer.js';
import { suggestName } from '../../support/text.js';
import type { ConfigPath } from '../config-path.js';
import { fault, type RuleFinding } from './rule.js';

/** The fields that an action or a task can have, and what fills the pointers in them. */
interface FieldRules {
  readonly owner: string;
  readonly known: ReadonlyMap<string, ActionField>;
  /** Typical data, if what it contains is known; otherwise anything can come from the body of a request. */
  readonly sample?: Readonly<Record<string, string>> | undefined;
}

/** What is wrong with the fields of an action that may contain JSON pointers. */
export function* fieldFaults(
  { owner, known, sample }: FieldRules,
  fields: Readonly<Record<string, unknown>>,
  path: ConfigPath,
): Iterable<RuleFinding> {
  for (const [name, value] of Object.entries(fields)) {
    const field = known.get(name);
    const fieldPath = [...path, name];
    if (field === undefined) {
      yield fault('mapping-invalid', fieldPath, {
        message: `${owner} has no field ${JSON.stringify(name)}`,
        expected: `one of ${[...known.keys()].join(', ')}`,
        suggestion: suggestName(name, [...known.keys()]),
      });
      continue;
    }
    yield* valueFaults({ name, field, sample }, value, fieldPath);
  }
  for (const [name, { isRequired }] of known) {
    if (!isRequired || Object.hasOwn(fields, name)) continue;
    yield fault('mapping-invalid', path.slice(0, -1), {
      message: `${owner} needs the field ${JSON.stringify(name)}`,
      expected: `${name} in ${String(path.at(-1))}`,
    });
  }
}

interface ValueRules extends Pick<FieldRules, 'sample'> {
  readonly name: string;
  readonly field: ActionField;
}

function* valueFaults(
  { name, field, sample }: ValueRules,
  value: unknown,
  path: ConfigPath,
): Iterable<RuleFinding> {
  for (const text of textsOf(value)) {
    const why = templateFault(text);
    if (why === undefined) continue;
    yield fault('mapping-invalid', path, {
      message: `${JSON.stringify(text)}: ${why}`,
      expected: 'JSON pointers in braces, like {/sender/login}',
    });
    return;
  }
  const unknown = sample === undefined ? undefined : unknownPointer(value, sample);
  if (unknown !== undefined) {
    yield fault('mapping-invalid', path, {
      message: `there is nothing at ${unknown}`,
      expected: `one of ${Object.keys(sample ?? {})
        .map((known) => `{/${known}}`)
        .join(', ')}`,
    });
  } else if (field.isFixed && hasPointers(value)) {
    yield fault('mapping-invalid', path, {
      message: `${name} cannot come from ${sample === undefined ? 'the body of a request' : 'a JSON pointer'}`,
      expected: 'a fixed value: it decides who runs something, and for whom',
    });
  } else if (sample !== undefined || !hasPointers(value)) {
    const filled = fillTemplate(parseTemplate(value), sample, UNLIMITED);
    const why = field.faultOf(filled);
    if (why === undefined) return;
    const message = `${name} ${why} (got ${JSON.stringify(value)})`;
    yield fault('invalid-value', path, { message, expected: undefined });
  }
}

/** The first pointer that finds nothing. */
function unknownPointer(value: unknown, sample: object): string | undefined {
  return [...textsOf(value)]
    .flatMap(pointersIn)
    .find((pointer) => valueAtKeys(sample, pointerKeys(pointer) ?? []) === undefined);
}

const UNLIMITED = { textChars: Number.POSITIVE_INFINITY, jsonChars: Number.POSITIVE_INFINITY };

function* textsOf(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* textsOf(inner);
  }
}
