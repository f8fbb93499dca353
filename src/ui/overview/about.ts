import type { About, NativeModule } from '../../engine/overview/about.js';
import { safeLine } from '../safe-text.js';
import { shownPath } from '../shown-path.js';
import type { Style } from '../style.js';

/** How the versions are shown. */
export interface AboutOptions {
  readonly style: Style;
  /** The person's home folder, shown as `~`. */
  readonly homeDir: string;
  /** Everything; the version alone otherwise. */
  readonly verbose: boolean;
}

const LABEL_COLUMNS = 16;

/** The answer of `svc version`. */
export function renderAbout(about: About, { style, homeDir, verbose }: AboutOptions): string {
  if (!verbose) return `svc ${safeLine(about.version)}\n`;
  const { platform, paths } = about;
  const path = (value: string): string => shownPath(value, homeDir);
  const library = platform.os === 'linux' ? `, ${platform.glibc ? 'glibc' : 'no glibc'}` : '';
  const rows: readonly (readonly [label: string, value: string])[] = [
    ['svc', about.version],
    ['Node.js', about.node],
    ['SQLite', about.sqlite ?? 'cannot be loaded'],
    ...about.modules.map((module) => [module.name, moduleWords(module)] as const),
    ['platform', `${platform.os} ${platform.arch}, ${platform.release}${library}`],
    ['program', path(paths.program)],
    ['node', path(paths.node)],
    ['configuration', paths.config === null ? 'none: the defaults hold' : path(paths.config)],
    ['state', path(paths.state)],
    ['cache', path(paths.cache)],
  ];
  const lines = rows.map(
    ([label, value]) => `${style.dim(label.padEnd(LABEL_COLUMNS))}${safeLine(value)}`,
  );
  return `${lines.join('\n')}\n`;
}

function moduleWords({ state, version, why }: NativeModule): string {
  if (state === 'not_installed') return 'not installed; only the provider "local" needs it';
  const words = [version, state === 'ok' ? 'loads' : `cannot be used: ${why ?? 'unknown'}`];
  return words.filter((word) => word !== null).join(', ');
}
