import { SvcError, type Warning } from '../errors/index.js';
import type { ConfigFault } from './config-fault.js';
import { formatPath } from './config-path.js';
import { readConfigText } from './discovery.js';
import { type ConfigDocument, parseConfigText } from './document.js';
import * as features from './rules/features.js';
import * as notify from './rules/notify.js';
import * as providers from './rules/providers.js';
import { type Rule, type RuleFinding, searchScopes } from './rules/rule.js';
import * as schedules from './rules/schedules.js';
import * as search from './rules/search.js';
import * as secrets from './rules/secrets.js';
import * as unusedSettings from './rules/unused-settings.js';
import * as webhooks from './rules/webhooks.js';
import type { ConfigInput } from './schema/index.js';
import { checkSchema } from './schema-faults.js';

/** The complete check of a configuration text. */
export interface CheckedConfig {
  readonly document: ConfigDocument;
  /** Undefined if there are faults. */
  readonly input: ConfigInput | undefined;
  /** In text order. */
  readonly faults: readonly ConfigFault[];
  /** In text order. */
  readonly warnings: readonly ConfigFault[];
}

/**
 * Checks syntax, duplicate keys, schema, and rules across keys. Does not throw: rules also check
 * what the schema accepts next to faults, so that everything is reported at once.
 */
export function checkConfigText(file: string, text: string): CheckedConfig {
  const document = parseConfigText(file, text);
  if (document.syntaxFaults.length > 0) {
    return { document, input: undefined, faults: document.syntaxFaults, warnings: [] };
  }
  const { faults: schemaFaults, accepted } = checkSchema(document);
  const ruleFaults = (accepted === undefined ? [] : applyRules(accepted))
    .map((finding) => locateFinding(document, finding))
    .filter((fault) => !isOnlyInvalid(fault, schemaFaults));
  const faults = [
    ...document.keyFaults.filter((fault) => !schemaFaults.some(isSameFault(fault))),
    ...schemaFaults,
    ...ruleFaults.filter((fault) => fault.severity === 'fault'),
  ];
  return {
    document,
    input: faults.length === 0 ? accepted : undefined,
    faults: inTextOrder(faults),
    warnings: inTextOrder(ruleFaults.filter((fault) => fault.severity === 'warning')),
  };
}

const RULES: readonly Rule[] = [
  features,
  notify,
  providers,
  schedules,
  search,
  secrets,
  unusedSettings,
  webhooks,
].flatMap((rules) => Object.values(rules));

/** Applies all rules across keys to a configuration that the schema accepts. */
function applyRules(input: ConfigInput): readonly RuleFinding[] {
  const scopes = [...searchScopes(input)];
  return RULES.flatMap((rule) => [...rule(input, scopes)]);
}

/** Whether another fault is the same, perhaps of an earlier text. */
export function isSameFault({ code, path }: ConfigFault): (other: ConfigFault) => boolean {
  return (other) => other.code === code && other.path === path;
}

/** Rules see no invalid values, so one that is written can seem to be missing. */
function isOnlyInvalid({ code, path }: ConfigFault, schemaFaults: readonly ConfigFault[]): boolean {
  if (code !== 'missing-key') return false;
  return schemaFaults.some(
    (fault) => fault.code !== 'unknown-key' && fault.path.startsWith(`${path}.`),
  );
}

/** A finding with its locations. */
export function locateFinding(document: ConfigDocument, finding: RuleFinding): ConfigFault {
  const { path, related, ...rest } = finding;
  return {
    ...rest,
    path: formatPath(path),
    location: document.locate(path),
    related: related?.length ? related.map((place) => document.locate(place)) : undefined,
  };
}

function inTextOrder(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  return faults.toSorted(
    (a, b) => a.location.line - b.location.line || a.location.column - b.location.column,
  );
}

export interface ValidConfig {
  readonly input: ConfigInput;
  readonly warnings: readonly Warning[];
}

/** @throws SvcError as {@link readConfigText}; faults in the text are in the result */
export function readCheckedConfig(file: string): CheckedConfig {
  return checkConfigText(file, readConfigText(file));
}

export function requireValid(checked: CheckedConfig): ValidConfig {
  if (checked.input === undefined) throw faultsError(checked.document.file, checked.faults);
  return { input: checked.input, warnings: checked.warnings.map(toWarning) };
}

/** CONFIG_SYNTAX or CONFIG_INVALID, with all faults in its details. */
export function faultsError(
  file: string,
  faults: readonly ConfigFault[],
  hint = 'run "svc config validate" to see every problem in place',
): SvcError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const suggestion = first?.suggestion === undefined ? '' : `; did you mean "${first.suggestion}"?`;
  return new SvcError(
    first?.code === 'syntax' ? 'CONFIG_SYNTAX' : 'CONFIG_INVALID',
    `${first?.message ?? `cannot use ${file}`}${suggestion}${more}`,
    {
      hint,
      location: first?.location,
      details: { faults },
    },
  );
}

function toWarning(fault: ConfigFault): Warning {
  const { file, line, column } = fault.location;
  return {
    code: 'CONFIG_WARNING',
    message: `${file}:${line}:${column} ${fault.path}: ${fault.message}`,
    ...(fault.expected === undefined ? {} : { hint: `expected ${fault.expected}` }),
  };
}
