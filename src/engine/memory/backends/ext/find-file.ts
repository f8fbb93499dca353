import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../../sources/paths.js';

/** How deep a folder is looked into, and at how many names, for one file. */
const MOST_DEPTH = 32;
const MOST_NAMES = 50_000;

/**
 * The real file that the program means by a path below a collection's folder. It writes paths in its own
 * way: in lower case up to release 2, and in every release with dashes for whatever is no letter or digit.
 *
 * @param isRight tells files apart whose names it writes alike
 * @returns its absolute path, never outside the folder; undefined when there is none
 */
export function findFile(
  root: string,
  path: string,
  isRight: (file: string) => boolean,
): string | undefined {
  const exact = fileBelow(root, path);
  if (exact !== undefined && isRight(exact)) return exact;
  const wanted = path.split('/').map(comparable);
  const likely = filesLike(root, wanted, { left: MOST_NAMES });
  return likely.find(isRight) ?? exact ?? likely[0];
}

/** A name as it is compared: what every release keeps of it, whatever it makes of the rest. */
function comparable(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\p{So}\p{Sk}]/gu, (symbol) => symbol.codePointAt(0)?.toString(16) ?? '')
    .replaceAll(/[^\p{L}\p{N}$]+/gu, '');
}

function filesLike(
  folder: string,
  segments: readonly string[],
  budget: { left: number },
): readonly string[] {
  const [first, ...rest] = segments;
  if (first === undefined || segments.length > MOST_DEPTH) return [];
  const found: string[] = [];
  for (const entry of entriesOf(folder)) {
    budget.left -= 1;
    if (budget.left < 0) return found;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && rest.length > 0 && comparable(entry.name) === first) {
      found.push(...filesLike(path, rest, budget));
    } else if (entry.isFile() && isLike(entry.name, segments)) {
      found.push(path);
    }
  }
  return found;
}

/** Three underscores in a name are a folder to it. */
function isLike(name: string, segments: readonly string[]): boolean {
  const isWhole = segments.length === 1 || name.includes('___');
  return isWhole && comparable(name) === segments.join('');
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone since it was indexed: nothing is found in it.
    return [];
  }
}

/** Undefined for what is no file, or lies elsewhere once links are followed. */
function fileBelow(root: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(root, path));
    return isBelow(root, real) && statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
