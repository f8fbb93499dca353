import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AskOptions, newestVersion } from '../install/newest-version.js';
import type { UpgradeOutput } from './output-schemas.js';
import { programVersion } from './package-version.js';

/**
 * How to upgrade this installation.
 *
 * @param ask what npm needs to look for the newest version; without it, npm is not asked
 * @throws SvcError UPGRADE_CHECK_FAILED; the signal's reason
 */
export async function describeUpgrade(
  root: string,
  ask: AskOptions | undefined,
): Promise<UpgradeOutput> {
  const name = packageName(root);
  const installed = programVersion(root);
  const newest = ask === undefined ? null : await newestVersion(name, ask);
  const isOutdated = newest === null ? null : isNewer(newest, installed);
  return { installed, newest, isOutdated, ...howToUpgrade(root, name) };
}

function howToUpgrade(root: string, name: string): Pick<UpgradeOutput, 'command' | 'installation'> {
  if (existsSync(join(root, '.git'))) {
    return { installation: 'checkout', command: 'git pull' };
  }
  return root.endsWith(join('node_modules', name))
    ? { installation: 'npm', command: `npm install -g ${name}@latest` }
    : { installation: 'other', command: null };
}

function packageName(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return String(Reflect.get(Object(manifest), 'name'));
}

/** Of two versions of semver; one with a suffix comes before the one without. */
function isNewer(a: string, b: string): boolean {
  const [numbersA = '', suffixA] = a.split(/-(.*)/u);
  const [numbersB = '', suffixB] = b.split(/-(.*)/u);
  const order = new Intl.Collator('en', { numeric: true });
  const byNumbers = order.compare(numbersA, numbersB);
  if (byNumbers !== 0 || suffixA === suffixB) return byNumbers > 0;
  if (suffixA === undefined || suffixB === undefined) return suffixA === undefined;
  return order.compare(suffixA, suffixB) > 0;
}
