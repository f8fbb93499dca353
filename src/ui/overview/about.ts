import type { NativeModule } from '../../engine/overview/about.js';
import type {
  BugReportOutput,
  UpgradeOutput,
  VersionOutput,
} from '../../engine/overview/output-schemas.js';
import { formatBytes } from '../../engine/support/format.js';
import { safeLine, shownPath } from '../safe-text.js';
import type { Style, View } from '../style.js';
import { alignRows } from '../table.js';

/** The archive and its contents. */
export function renderBugReport({ file, bytes, entries }: BugReportOutput, style: Style): string {
  const rows = entries.map(({ name, description, bytes: size, error }) => [
    `  ${safeLine(name)}`,
    formatBytes(size),
    safeLine(error === null ? description : `failed: ${error}`),
  ]);
  return [
    `wrote ${style.bold(safeLine(file))} (${formatBytes(bytes)})`,
    ...alignRows(rows, ['left', 'right', 'left']),
    'It contains no secrets and none of your notes. Check it anyway before you send it.',
    '',
  ].join('\n');
}

interface VersionOptions extends View {
  /** Everything, not only the version. */
  readonly verbose: boolean;
}

const LABEL_COLUMNS = 16;

/** The output of `svc version`. */
export function renderVersion(
  output: VersionOutput,
  { style, homeDir, verbose }: VersionOptions,
): string {
  if (!verbose) return `svc ${safeLine(output.version)}\n`;
  const { platform, paths, sqlite, sqliteDriver } = output;
  const path = (value: string): string => shownPath(value, homeDir);
  const library = platform.os === 'linux' ? `, ${platform.glibc ? 'glibc' : 'no glibc'}` : '';
  const rows: readonly (readonly [label: string, value: string])[] = [
    ['svc', output.version],
    ['Node.js', output.node],
    ['SQLite', sqlite === null ? 'cannot be loaded' : `${sqlite}, through ${sqliteDriver}`],
    ...output.modules.map((module) => [module.name, moduleWords(module)] as const),
    ['platform', `${platform.os} ${platform.arch}, ${platform.release}${library}`],
    ['program', path(paths.program)],
    ['node', path(paths.node)],
    ['configuration', paths.config === null ? 'none: defaults apply' : path(paths.config)],
    ['state', path(paths.state)],
    ['cache', path(paths.cache)],
  ];
  const lines = rows.map(
    ([label, value]) => `${style.dim(label.padEnd(LABEL_COLUMNS))}${safeLine(value)}`,
  );
  return `${lines.join('\n')}\n`;
}

function moduleWords({ state, version, why }: NativeModule): string {
  if (state === 'not_installed') return 'not installed; only needed by the provider "local"';
  const words = [version, state === 'ok' ? 'loads' : `unusable: ${why ?? 'unknown'}`];
  return words.filter((word) => word !== null).join(', ');
}

/** The output of `svc upgrade`. */
export function renderUpgrade(upgrade: UpgradeOutput, style: Style): string {
  const { installed, newest, isOutdated, installation, command } = upgrade;
  const versions =
    newest === null
      ? `svc ${installed}`
      : isOutdated === true
        ? `svc ${style.bold(newest)} is available; this is ${installed}`
        : `svc ${installed} is up to date; the newest release is ${newest}`;
  if (isOutdated === false) return `${versions}\n`;
  const advice =
    installation === 'checkout'
      ? `upgrade this checkout with ${style.bold(String(command))}`
      : command === null
        ? 'upgrade it the way you installed it'
        : `upgrade with ${style.bold(command)}`;
  return `${versions}\n${advice}\n`;
}
