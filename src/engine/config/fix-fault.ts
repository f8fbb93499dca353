import { distance } from 'fastest-levenshtein';
import { groupBy } from '../support/lists.js';
import { type CheckedConfig, checkConfigText } from './check.js';
import type { ConfigFault } from './config-fault.js';
import { type ConfigPath, formatPath, parsePath, valueAt } from './config-path.js';
import { editJson, removeValue, renameKey } from './edit-json.js';
import { type Node, nodeAt } from './jsonc.js';
import { enumChoices, keysAt, schemasAt } from './schema/walk.js';

/** A change of the text that fixes a fault. */
export interface FaultFix {
  /** An imperative sentence without a period; contains no values other than the schema's. */
  readonly title: string;
  /** The whole changed text. */
  readonly text: string;
  /** Whether nothing else can be intended. */
  readonly certain: boolean;
}

/** Maximum distance of a typo. */
const MOST_SLIPS = 2;

/**
 * A change that fixes a fault without causing others, except below a renamed key. Undefined if a
 * person has to decide.
 */
export function fixFault(checked: CheckedConfig, fault: ConfigFault): FaultFix | undefined {
  const { document } = checked;
  if (fault.code === 'syntax') return fixEmpty(document.text);
  if (fault.path === '') return undefined;
  return proposals(checked, fault, parsePath(fault.path)).find(({ text, below }) =>
    fixes(checked, fault, checkConfigText(document.file, text), below),
  );
}

interface Proposal extends FaultFix {
  /** New faults are allowed at or below this path. */
  readonly below?: ConfigPath;
}

function proposals(
  { document }: CheckedConfig,
  fault: ConfigFault,
  path: ConfigPath,
): readonly Proposal[] {
  const { text, value } = document;
  switch (fault.code) {
    case 'unknown-key':
      return renameProposals(text, fault, path);
    case 'duplicate-key':
      return duplicateProposals(text, path);
    case 'fallback-is-provider': {
      const title = `remove ${fault.path}`;
      return [{ title, text: editJson(text, path, undefined), certain: true }];
    }
    case 'wrong-type':
      return conversionProposals(text, path, valueAt(value, path));
    default:
      return suggestionProposals(text, fault, path, valueAt(value, path));
  }
}

function renameProposals(
  text: string,
  { suggestion }: ConfigFault,
  path: ConfigPath,
): readonly Proposal[] {
  const parent = path.slice(0, -1);
  const known = keysAt(parent);
  if (suggestion === undefined || !known.includes(suggestion)) return [];
  const typed = String(path.at(-1));
  return [
    {
      title: `rename "${typed}" to "${suggestion}"`,
      text: renameKey(text, path, suggestion),
      certain: isSlip(typed, suggestion, known),
      below: [...parent, suggestion],
    },
  ];
}

function suggestionProposals(
  text: string,
  { suggestion }: ConfigFault,
  path: ConfigPath,
  value: unknown,
): readonly Proposal[] {
  if (suggestion === undefined || typeof value !== 'string') return [];
  const choices = schemasAt(path).flatMap(enumChoices);
  return [
    {
      title: `set ${formatPath(path)} to "${suggestion}"`,
      text: editJson(text, path, suggestion),
      certain: isSlip(value, suggestion, choices),
    },
  ];
}

/** The same value in the expected type: `"5"` and `5`, `"true"` and `true`, `"a"` and `["a"]`. */
function conversionProposals(text: string, path: ConfigPath, value: unknown): readonly Proposal[] {
  return otherForms(value).map(({ form, as }) => {
    const title = `change ${formatPath(path)} to ${as}`;
    return { title, text: editJson(text, path, form), certain: true };
  });
}

function otherForms(value: unknown): readonly { readonly form: unknown; readonly as: string }[] {
  if (typeof value === 'number') return [{ form: String(value), as: 'a string' }];
  if (typeof value !== 'string') return [];
  const list = { form: [value], as: 'a list' };
  if (/^(?:true|false)$/u.test(value)) return [{ form: value === 'true', as: 'a boolean' }, list];
  if (/^-?\d+(?:\.\d+)?$/u.test(value)) return [{ form: Number(value), as: 'a number' }, list];
  return [list];
}

/** If both values are equal, one can be removed. */
function duplicateProposals(text: string, path: ConfigPath): readonly Proposal[] {
  const parent = nodeAt(text, path.slice(0, -1));
  const [first, second] = (parent?.children ?? []).filter(
    (property) => property.children?.[0]?.value === path.at(-1),
  );
  if (first === undefined || second === undefined) return [];
  const valueText = ({ children: [, value] = [] }: Node): string | undefined =>
    value && text.slice(value.offset, value.offset + value.length);
  if (valueText(first) !== valueText(second)) return [];
  const title = `remove the first of two identical ${formatPath(path)} keys`;
  return [{ title, text: removeValue(text, path), certain: true }];
}

function fixEmpty(text: string): FaultFix | undefined {
  if (text.trim() !== '') return undefined;
  return { title: 'write an empty configuration', text: '{}\n', certain: true };
}

function fixes(
  before: CheckedConfig,
  fixed: ConfigFault,
  after: CheckedConfig,
  below: ConfigPath | undefined,
): boolean {
  if (after.faults.some((fault) => fault.code === 'syntax')) return false;
  const known = groupBy(before.faults, keyOf);
  const left = groupBy(after.faults, keyOf).get(keyOf(fixed)) ?? [];
  if (left.length >= (known.get(keyOf(fixed))?.length ?? 0)) return false;
  const cover = below === undefined ? undefined : formatPath(below);
  return after.faults.every(
    (fault) =>
      known.has(keyOf(fault)) ||
      (cover !== undefined && fault.code !== 'duplicate-key' && fault.path.startsWith(cover)),
  );
}

function keyOf({ code, path }: ConfigFault): string {
  return `${code} ${path}`;
}

/** Whether a name is a typo of another one, and of no other choice that is as near. */
function isSlip(typed: string, suggestion: string, choices: readonly string[]): boolean {
  const slips = (name: string): number => distance(typed.toLowerCase(), name.toLowerCase());
  const rivals = choices.filter((name) => name !== suggestion && slips(name) <= slips(suggestion));
  return slips(suggestion) <= MOST_SLIPS && rivals.length === 0;
}
