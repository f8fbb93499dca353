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
import type { ImportItem, ImportPlan } from '../../engine/imports/index.js';
import type { SetUpPlan } from '../../engine/set-up/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import { frameSource, renderCodeFrame, renderDiff } from '../code-frame.js';
import { renderJson, safeLine, shownPath } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';

/** Every fault and warning with its location, then a summary line. */
export function renderValidation(
  inspection: ConfigInspection,
  options: Pick<View, 'columns' | 'style'>,
): string {
  const { file, text, faults, warnings } = inspection;
  if (file === undefined) return 'no configuration file found: defaults apply\n';
  const source = frameSource(text ?? '');
  const blocks = [...faults, ...warnings].map((fault) => renderFault(fault, source, options));
  const { ok, fault } = options.style;
  const verdict =
    faults.length === 0
      ? `${ok('valid')}  ${safeLine(file)}`
      : `${fault('invalid')}  ${safeLine(file)}: ${formatCountOf(faults.length, 'fault')}`;
  const warningCount =
    warnings.length === 0 ? '' : `, ${formatCountOf(warnings.length, 'warning')}`;
  return `${[...blocks, `${verdict}${warningCount}`].join('\n\n')}\n`;
}

function renderFault(
  fault: ConfigFault,
  source: readonly string[],
  { style, columns = 80 }: Pick<View, 'columns' | 'style'>,
): string {
  const paint = fault.severity === 'fault' ? style.fault : style.warning;
  const lines = [
    `${paint(fault.severity)}  ${locationText(fault.location)}`,
    ...(fault.path === '' ? [] : [`  path      ${safeLine(fault.path)}`]),
    `  problem   ${safeLine(fault.message)}`,
    ...(fault.expected === undefined ? [] : [`  expected  ${safeLine(fault.expected)}`]),
    ...(fault.suggestion === undefined
      ? []
      : [`  did you mean ${style.bold(safeLine(fault.suggestion))}?`]),
    ...(fault.related ?? []).map((location) => `  see also  ${locationText(location)}`),
    '',
    renderCodeFrame(source, fault.location, { width: Math.max(20, columns - 12) }),
  ];
  return lines.join('\n');
}

function locationText({ file, line, column }: SourceLocation): string {
  return `${safeLine(file)}:${line}:${column}`;
}

const ORIGIN_WORDS: Readonly<Record<SearchedPlace['origin'], string>> = {
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
      : `${safeLine(file)}  ${style.dim(`(${ORIGIN_WORDS[origin]})`)}`;
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
  const keys = risky.map(({ path, value }) => `  ${safeLine(path)}: ${jsonLine(value)}`);
  return [`${name} sets these keys, which are ignored until you trust it:`, ...keys, ''].join('\n');
}

/** Every trusted file, one per line. */
export function renderTrustList(
  configs: readonly {
    readonly file: string;
    readonly trustedAt: string;
    readonly changed: boolean;
  }[],
): string {
  if (configs.length === 0) return 'no configuration file is trusted\n';
  return configs
    .map(({ file, trustedAt, changed }) => {
      const since = changed ? '; changed since, so not trusted now' : '';
      return `${safeLine(file)}  (trusted ${trustedAt.slice(0, 10)}${since})\n`;
    })
    .join('');
}

/** The result of an edit, in one line. */
export function renderEdit({ file, path, before, after, changed }: ConfigEdit): string {
  const key = safeLine(path);
  const fileName = safeLine(file);
  const was = before === undefined ? '' : ` (was ${jsonLine(before)})`;
  if (after === undefined) {
    return changed
      ? `removed ${key}${was} from ${fileName}\n`
      : `${key} is not set in ${fileName}\n`;
  }
  return changed
    ? `set ${key} to ${jsonLine(after)}${was} in ${fileName}\n`
    : `${key} is already ${jsonLine(after)} in ${fileName}\n`;
}

/** A value for scripts: text without quotes, everything else as JSON. */
export function renderConfigValue({ value }: ConfigValue): string {
  return `${typeof value === 'string' ? safeLine(value) : renderJson(value)}\n`;
}

function jsonLine(value: unknown): string {
  return safeLine(JSON.stringify(value) ?? 'null');
}

/** The effective configuration, as JSON or as one line per value with its origin. */
export function renderEffective(effective: EffectiveConfig, style: Style): string {
  const { values } = effective;
  if (values === undefined) return `${renderJson(effective.config)}\n`;
  return values.map((value) => `${renderValue(value, style)}\n`).join('');
}

function renderValue({ path, value, origins }: EffectiveValue, style: Style): string {
  const origin = origins.map(renderOrigin).join(' + ');
  return `${safeLine(path)} = ${jsonLine(value)}  ${style.dim(`# ${origin}`)}`;
}

function renderOrigin(origin: ValueOrigin): string {
  if (origin.kind === 'default') return 'default';
  return `${safeLine(origin.location.file)}:${origin.location.line} ${origin.scope}`;
}

/** What an import does with each setting and note, and what will be written. */
export function renderConfigImport(plan: ImportPlan, options: View): string {
  const { style, homeDir } = options;
  const { items, notes, diff, program } = plan;
  const source = `${program}: ${shownPath(plan.source, homeDir)}`;
  const blocks = [
    [source],
    ...OUTCOMES.map(([outcome, paint]) => outcomeLines(outcome, items, style[paint], options)),
    diff.length === 0 ? [] : [shownPath(plan.file, homeDir), ...renderDiff(diff, options)],
    notes.length === 0 ? [] : [notesLine(plan, homeDir)],
    diff.length === 0 && notes.length === 0 ? ['nothing to write'] : [],
  ].filter((lines) => lines.length > 0);
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** In the order in which they are shown. */
const OUTCOMES = [
  ['taken', 'ok'],
  ['translated', 'ok'],
  ['conflict', 'warning'],
  ['present', 'dim'],
  ['left', 'dim'],
] as const satisfies readonly (readonly [ImportItem['outcome'], keyof Style])[];

function outcomeLines(
  outcome: ImportItem['outcome'],
  items: readonly ImportItem[],
  paint: Paint,
  view: View,
): readonly string[] {
  const all = items.filter((item) => item.outcome === outcome);
  if (all.length === 0) return [];
  return [`${paint(outcome)} (${all.length})`, ...all.map((item) => itemLine(item, view))];
}

function itemLine({ from, to, why }: ImportItem, { hintFor }: View): string {
  const place = to === null || to === from ? safeLine(from) : `${safeLine(from)} → ${safeLine(to)}`;
  return `  ${place}${why === null ? '' : `: ${hintFor(safeLine(why))}`}`;
}

function notesLine({ notes, folder }: ImportPlan, homeDir: string): string {
  const entries = notes.reduce((sum, note) => sum + note.entries.length, 0);
  const count = formatCountOf(entries, 'entry', 'entries');
  return `${count} in ${formatCountOf(notes.length, 'note')} below ${shownPath(folder, homeDir)}`;
}

/** The set-up plan in a few lines: what svc will use, and where that is written. */
export function renderSetUpSummary(
  { file, diff, provider, keyToStore }: SetUpPlan,
  workspace: string,
  { style, homeDir }: View,
): string {
  const key = keyToStore === undefined ? '' : `, key in ${shownPath(keyToStore.file, homeDir)}`;
  const lines = [
    `${style.dim('memory  ')} ${shownPath(workspace, homeDir)}`,
    `${style.dim('search  ')} ${provider === null ? 'keywords' : `keywords and ${safeLine(provider)}`}${key}`,
    `${style.dim('settings')} ${shownPath(file, homeDir)}${diff.length === 0 ? ' (no changes)' : ''}`,
  ];
  return `\n${lines.join('\n')}\n`;
}

/** The changes of the configuration, and the other files that will be written. */
export function renderSetUpPlan(
  { file, diff, keyToStore }: SetUpPlan,
  createdPaths: readonly string[],
  { style, homeDir }: View,
): string {
  const hunks = diff.map((lines) => renderDiff(lines, { style, columns: undefined }).join('\n'));
  const name = shownPath(file, homeDir);
  const changes = hunks.length === 0 ? `${name}: no changes` : `${name}\n${hunks.join('\n…\n')}`;
  const otherFiles = [...createdPaths, ...(keyToStore === undefined ? [] : [keyToStore.file])];
  const others = otherFiles.map((path) => `also written: ${shownPath(path, homeDir)}`);
  return `\n${[changes, ...others].join('\n')}\n`;
}
