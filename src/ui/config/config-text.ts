import type { ConfigEdit, ConfigValue } from '../../engine/config/authoring.js';
import type {
  ConfigFault,
  ConfigInspection,
  Discovery,
  EffectiveConfig,
  EffectiveValue,
  SearchedPlace,
  ValueOrigin,
} from '../../engine/config/index.js';
import type { TrustReview } from '../../engine/config/trust/config-trust.js';
import type { SourceLocation } from '../../engine/errors/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import { renderCodeFrame } from '../code-frame.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

/** How the result of `svc config validate` is shown. */
export interface ValidationOptions {
  readonly style: Style;
  /** Width of the terminal in columns. */
  readonly columns: number;
}

/** Every fault and warning with its location, then a summary line. */
export function renderValidation(inspection: ConfigInspection, options: ValidationOptions): string {
  const { file, text, faults, warnings } = inspection;
  if (file === undefined) return 'no configuration file found: defaults apply\n';
  const blocks = [...faults, ...warnings].map((fault) => renderFault(fault, text ?? '', options));
  const { ok, fault } = options.style;
  const sum =
    faults.length === 0
      ? `${ok('valid')}  ${safeLine(file)}`
      : `${fault('invalid')}  ${safeLine(file)}: ${formatCountOf(faults.length, 'fault')}`;
  const aside = warnings.length === 0 ? '' : `, ${formatCountOf(warnings.length, 'warning')}`;
  return `${[...blocks, `${sum}${aside}`].join('\n\n')}\n`;
}

function renderFault(fault: ConfigFault, text: string, options: ValidationOptions): string {
  const { style, columns } = options;
  const paint = fault.severity === 'fault' ? style.fault : style.warning;
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

const REASONS: Readonly<Record<SearchedPlace['origin'], string>> = {
  flag: 'from --config',
  environment: 'from SVC_CONFIG',
  nearest: 'the nearest svc.json, searching upward from the current folder',
  user: 'your user configuration',
};

/** The file in effect and why, then every location that was checked, in order. */
export function renderDiscovery(discovery: Discovery, style: Style): string {
  const { file, origin, searched } = discovery;
  const head =
    file === undefined || origin === undefined
      ? 'no configuration file: defaults apply'
      : `${safeLine(file)}  ${style.dim(`(${REASONS[origin]})`)}`;
  const places = searched.map(
    (place) => `  ${place.found ? 'found    ' : 'not found'}  ${safeLine(place.file)}`,
  );
  return [head, '', 'checked in this order:', ...places, ''].join('\n');
}

/** The risky keys of a file, one per line. */
export function renderTrustReview({ file, state, risky }: TrustReview): string {
  const name = safeLine(file);
  if (state === 'not-needed') return `${name} does not need trust: no key in it is ignored\n`;
  if (state === 'trusted') return `${name} is already trusted\n`;
  const keys = risky.map(
    ({ path, value }) => `  ${safeLine(path)}: ${safeLine(JSON.stringify(value) ?? '')}`,
  );
  return [`${name} sets these keys, which are ignored until you trust it:`, ...keys, ''].join('\n');
}

/** Every trusted file, one per line. */
export function renderTrustList(
  configs: readonly { readonly file: string; readonly trustedAt: string }[],
): string {
  if (configs.length === 0) return 'no configuration file is trusted\n';
  return configs
    .map(({ file, trustedAt }) => `${safeLine(file)}  (trusted ${trustedAt.slice(0, 10)})\n`)
    .join('');
}

/** The result of an edit, in one line. */
export function renderEdit({ file, path, before, after, changed }: ConfigEdit): string {
  const name = safeLine(path);
  const place = safeLine(file);
  const was = before === undefined ? '' : ` (was ${short(before)})`;
  if (after === undefined) {
    return changed ? `removed ${name}${was} from ${place}\n` : `${name} is not set in ${place}\n`;
  }
  return changed
    ? `set ${name} to ${short(after)}${was} in ${place}\n`
    : `${name} is already ${short(after)} in ${place}\n`;
}

/** A value for scripts: text without quotes, everything else as JSON. */
export function renderConfigValue({ value }: ConfigValue): string {
  return `${typeof value === 'string' ? safeLine(value) : renderJson(value)}\n`;
}

function short(value: unknown): string {
  return safeLine(JSON.stringify(value) ?? 'null');
}

/** The effective configuration, as JSON or as one line per value with its origin. */
export function renderEffective(effective: EffectiveConfig, style: Style): string {
  const { values } = effective;
  if (values === undefined) return `${renderJson(effective.config)}\n`;
  return values.map((value) => `${renderValue(value, style)}\n`).join('');
}

/** JSON without characters that control a terminal. */
export function renderJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2) ?? 'null';
  return json.split('\n').map(safeLine).join('\n');
}

function renderValue({ path, value, origins }: EffectiveValue, style: Style): string {
  const origin = origins.map(renderOrigin).join(' + ');
  return `${safeLine(path)} = ${safeLine(JSON.stringify(value) ?? 'null')}  ${style.dim(`# ${origin}`)}`;
}

function renderOrigin(origin: ValueOrigin): string {
  if (origin.kind === 'default') return 'default';
  return `${safeLine(origin.location.file)}:${origin.location.line} ${origin.scope}`;
}
