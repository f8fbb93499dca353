import { SvcError, type Warning } from '../errors/index.js';
import { type CheckedConfig, checkConfigText } from './check.js';
import type { ConfigFault } from './fault.js';
import type { ConfigInput } from './input.js';
import { readConfigText } from './source-file.js';

/** A file without faults. */
export interface ValidConfig {
  readonly input: ConfigInput;
  readonly warnings: readonly Warning[];
}

/**
 * Reads a file and checks it.
 *
 * @throws SvcError as {@link readConfigText} does; faults in the text are in the result
 */
export function readCheckedConfig(file: string): CheckedConfig {
  return checkConfigText(file, readConfigText(file));
}

/** @throws SvcError CONFIG_SYNTAX or CONFIG_INVALID when there are faults */
export function requireValid(checked: CheckedConfig): ValidConfig {
  if (checked.input === undefined) throw faultsError(checked.document.file, checked.faults);
  return { input: checked.input, warnings: checked.warnings.map(toWarning) };
}

/** The error for a file with these faults: CONFIG_SYNTAX or CONFIG_INVALID, all in its details. */
export function faultsError(file: string, faults: readonly ConfigFault[]): SvcError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const suggestion = first?.suggestion === undefined ? '' : `; did you mean "${first.suggestion}"?`;
  return new SvcError(
    first?.code === 'syntax' ? 'CONFIG_SYNTAX' : 'CONFIG_INVALID',
    `${first?.message ?? `${file} cannot be used`}${suggestion}${more}`,
    {
      hint: 'svc config validate shows every fault in its place',
      ...(first === undefined ? {} : { location: first.location }),
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
