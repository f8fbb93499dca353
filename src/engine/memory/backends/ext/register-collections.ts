import { existsSync } from 'node:fs';
import type { Collection } from './collections.js';
import type { ExtSettings } from './ext-settings.js';
import {
  isSameCollection,
  type KnownCollection,
  readExtState,
  updateExtState,
} from './ext-state.js';
import type { ToolFeatures } from './tool/ask-program.js';
import { ToolFailure } from './tool/open-tool.js';
import { type ListedCollection, readCollections } from './tool/read-answer.js';
import type { ToolOutput } from './tool/run-tool.js';

/** Runs the program with these arguments, for at most so many milliseconds. */
export type Run = (args: readonly string[], timeoutMs: number) => Promise<ToolOutput>;

/** Adds missing collections and removes outdated ones; collections that are not svc's are left alone. */
export async function registerCollections(settings: ExtSettings, features: ToolFeatures, run: Run) {
  const wanted = settings.collections().filter(({ root }) => existsSync(root));
  const before = await listCollections(run, settings);
  const { collections: known } = readExtState(settings.dir);
  const isListed = (name: string): boolean => before.some((one) => one.name === name);
  const isCurrent = (one: KnownCollection): boolean =>
    isListed(one.name) && known.some((other) => isSameCollection(one, other));
  const gone = known.filter(({ name }) => !wanted.some((one) => one.name === name));
  const added = wanted.filter((one) => !isCurrent(one));
  for (const { name } of [...gone, ...added]) {
    if (isListed(name)) await remove(name, settings, run);
    remember(settings, name, []);
  }
  // Whether existing collections remain that must be rescanned.
  const hasKept = added.length < wanted.length;
  const hasNew = added.length > 0;
  if (!hasNew) return { hasKept, hasNew, stdout: '', listed: before };
  const other = features.patternFlag === '--mask' ? '--glob' : '--mask';
  const first = await addAll(added, features.patternFlag, settings, run);
  if (first.refused.length === 0) return { hasKept, hasNew, ...first };
  const second = await addAll(first.refused, other, settings, run);
  const [rejected] = second.refused;
  if (rejected !== undefined) throw refusesPattern(rejected.pattern);
  return { hasKept, hasNew, stdout: first.stdout + second.stdout, listed: second.listed };
}

/** Records what the program has under a name. */
function remember({ dir }: ExtSettings, name: string, now: readonly KnownCollection[]): void {
  updateExtState(dir, (state) => {
    const others = state.collections.filter((other) => other.name !== name);
    return { ...state, collections: [...others, ...now] };
  });
}

async function remove(name: string, { update }: ExtSettings, run: Run): Promise<void> {
  await run(['collection', 'remove', name], update.commandTimeoutMs);
}

/** A release that does not know the flag rejects it, or silently indexes every file: those collections are `refused`. */
async function addAll(
  collections: readonly Collection[],
  flag: ToolFeatures['patternFlag'],
  settings: ExtSettings,
  run: Run,
) {
  const refused: Collection[] = [];
  let stdout = '';
  for (const collection of collections) {
    const { name, root, pattern } = collection;
    // Recorded first: if svc is killed, it still knows that this name is its own.
    remember(settings, name, [{ name, root, pattern: BEING_ADDED }]);
    try {
      const args = ['collection', 'add', root, '--name', name, ...patternWords(flag, pattern)];
      stdout += (await run(args, settings.update.updateTimeoutMs)).stdout;
    } catch (error) {
      const isUnknown = error instanceof ToolFailure && /unknown option/iu.test(error.message);
      if (!isUnknown) throw error;
      refused.push(collection);
      continue;
    }
    remember(settings, name, [{ name, root, pattern }]);
  }
  const listed = await listCollections(run, settings);
  for (const collection of collections) {
    const found = listed.find(({ name }) => name === collection.name);
    if (found?.pattern === undefined || found.pattern === collection.pattern) continue;
    await remove(collection.name, settings, run);
    remember(settings, collection.name, []);
    refused.push(collection);
  }
  return { refused, stdout, listed };
}

/** Not a valid pattern: marks a collection that is being added. */
const BEING_ADDED = '';

/** A pattern that starts like an option is not a valid one. */
function patternWords(flag: string, pattern: string): readonly string[] {
  return pattern.startsWith('-') ? [`${flag}=${pattern}`] : [flag, pattern];
}

function refusesPattern(pattern: string): ToolFailure {
  return new ToolFailure(
    'BACKEND_UNAVAILABLE',
    `the external search program rejects the pattern ${JSON.stringify(pattern)} for a collection`,
    'install a newer release: npm install -g @tobilu/qmd',
  );
}

/** The collections that the program has now. */
export async function listCollections(
  run: Run,
  { update }: ExtSettings,
): Promise<readonly ListedCollection[]> {
  return readCollections((await run(['collection', 'list'], update.commandTimeoutMs)).stdout);
}

/** How many files the program has in some collections. */
export function countFiles(
  listed: readonly ListedCollection[],
  collections: readonly Pick<Collection, 'name'>[],
): number {
  return listed
    .filter(({ name }) => collections.some((one) => one.name === name))
    .reduce((sum, { files = 0 }) => sum + files, 0);
}
