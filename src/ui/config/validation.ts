import type { ConfigFault, ConfigInspection } from '../../engine/config/index.js';
import type { SourceLocation } from '../../engine/errors/index.js';
import { renderCodeFrame } from '../code-frame.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

/** How the result of `svc config validate` is shown. */
export interface ValidationOptions {
  readonly style: Style;
  /** Width of the terminal in columns. */
  readonly columns: number;
}

/** Every fault and warning in its place, and a line that sums up. */
export function renderValidation(inspection: ConfigInspection, options: ValidationOptions): string {
  const { file, text, faults, warnings } = inspection;
  if (file === undefined) return 'no configuration file was found: the defaults hold\n';
  const blocks = [...faults, ...warnings].map((fault) => renderFault(fault, text ?? '', options));
  const { green, red } = options.style;
  const sum =
    faults.length === 0
      ? `${green('valid')}  ${safeLine(file)}`
      : `${red('invalid')}  ${safeLine(file)}: ${count(faults.length, 'fault')}`;
  const aside = warnings.length === 0 ? '' : `, ${count(warnings.length, 'warning')}`;
  return `${[...blocks, `${sum}${aside}`].join('\n\n')}\n`;
}

function renderFault(fault: ConfigFault, text: string, options: ValidationOptions): string {
  const { style, columns } = options;
  const paint = fault.severity === 'fault' ? style.red : style.yellow;
  const lines = [
    `${paint(fault.severity)}  ${placeOf(fault.location)}`,
    ...(fault.path === '' ? [] : [`  path      ${safeLine(fault.path)}`]),
    `  problem   ${safeLine(fault.message)}`,
    ...(fault.expected === undefined ? [] : [`  expected  ${safeLine(fault.expected)}`]),
    ...(fault.suggestion === undefined
      ? []
      : [`  did you mean ${style.bold(safeLine(fault.suggestion))}?`]),
    ...(fault.related ?? []).map((place) => `  see also  ${placeOf(place)}`),
    '',
    renderCodeFrame(text, fault.location, { width: Math.max(20, columns - 12) }),
  ];
  return lines.join('\n');
}

function placeOf({ file, line, column }: SourceLocation): string {
  return `${safeLine(file)}:${line}:${column}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
