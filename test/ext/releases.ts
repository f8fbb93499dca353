import { delimiter, join } from 'node:path';

/** The releases of the external tool that are tried, oldest first. */
export const RELEASES = ['0.9.0', '1.0.7', '1.1.6', '2.0.1', '2.8.3'] as const;

export type Release = (typeof RELEASES)[number];

const { arch, platform } = process;
const bunArch = arch === 'arm64' ? 'aarch64' : arch;

/** The npm packages that carry the interpreters: of this package, in this folder of an installation. */
export const RUNTIMES = {
  /** All releases but the first want Node.js 22 or later. */
  node: { name: `node-${platform}-${arch}`, version: '24', folder: 'node' },
  /** 0.9.0 runs in nothing else. */
  bun: { name: `@oven/bun-${platform}-${bunArch}`, version: '1', folder: 'bun' },
} as const;

/** What an installed release is started with. */
export interface StartedRelease {
  /** Absolute path of the executable. */
  readonly command: string;
  /** Finds the interpreters; no colours. */
  readonly env: Readonly<Record<string, string>>;
}

/** How to start a release that is installed below a folder. */
export function releaseAt(folder: string, version: Release): StartedRelease {
  const runtimes = Object.values(RUNTIMES).map((runtime) =>
    join(folder, runtime.folder, 'node_modules', runtime.name, 'bin'),
  );
  return {
    command: join(folder, version, 'node_modules/.bin/qmd'),
    env: { PATH: [...runtimes, process.env['PATH'] ?? ''].join(delimiter), NO_COLOR: '1' },
  };
}

/** The variables that keep all of the tool's files in one folder. */
export function placesIn(folder: string): Readonly<Record<string, string>> {
  return {
    HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    QMD_CONFIG_DIR: join(folder, 'config/qmd'),
  };
}
