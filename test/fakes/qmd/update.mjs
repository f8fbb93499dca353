/** Reading the files of a collection into the index. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import picomatch from 'picomatch';
import { hashOf } from './store.mjs';

const SKIPPED_FOLDERS = ['node_modules', 'vendor', 'dist', 'build'];

/** 0.9.0 ends when a folder does not exist. */
export class MissingFolder extends Error {}

/**
 * Brings a collection up to date, in place.
 *
 * @returns how many documents are new, updated, unchanged and removed; of how many files
 */
export function updateCollection(index, collection, release) {
  const files = filesOf(collection, release);
  const counts = { added: 0, updated: 0, unchanged: 0, removed: 0, orphans: 0, files };
  if (files.length === 0 && release.stopsAtEmpty) return counts;
  const paths = new Set();
  for (const file of files) {
    const path = pathFor(file, release);
    paths.add(path);
    const text = readFileSync(join(collection.path, file), 'utf8');
    if (text.trim() === '') continue;
    counts[indexFile(index, collection.name, path, text, file)] += 1;
  }
  for (const document of index.documents) {
    const isMissing = document.collection === collection.name && !paths.has(document.path);
    if (!isMissing || !document.active) continue;
    document.active = false;
    counts.removed += 1;
  }
  counts.orphans = dropOrphans(index, release);
  return counts;
}

/** @returns whether the document was added, updated or unchanged */
function indexFile(index, collection, path, text, file) {
  const hash = hashOf(text);
  if (!index.contents.includes(hash)) index.contents.push(hash);
  const known = index.documents.find(
    (one) => one.active && one.collection === collection && one.path === path,
  );
  const document = { collection, path, hash, title: titleOf(text, file), text, active: true };
  if (known === undefined) {
    index.documents = index.documents.filter(
      (one) => one.collection !== collection || one.path !== path,
    );
    index.documents.push({ ...document, modified: Date.now() });
    return 'added';
  }
  if (known.hash === hash) return 'unchanged';
  Object.assign(known, document, { modified: Date.now() });
  return 'updated';
}

/** @returns how many contents were removed */
export function dropOrphans(index, { dropsInactive }) {
  const needed = new Set(
    index.documents.filter((one) => one.active || !dropsInactive).map((one) => one.hash),
  );
  const orphans = index.contents.filter((hash) => !needed.has(hash));
  index.contents = index.contents.filter((hash) => needed.has(hash));
  index.documents = index.documents.filter((one) => needed.has(one.hash));
  return orphans.length;
}

function filesOf({ path, pattern }, release) {
  if (!existsSync(path)) {
    if (release.missingFolder === 'fails') throw new MissingFolder(path);
    return [];
  }
  const matches = picomatch(release.acceptsGlob ? pattern.split(/,(?![^{]*\})/) : pattern);
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(path.length + 1))
    .filter((file) => {
      const names = file.split('/');
      return (
        matches(file) &&
        !names.some((name) => name.startsWith('.') || SKIPPED_FOLDERS.includes(name))
      );
    })
    .sort();
}

/** The newest releases keep paths; the others write them in lower case, with dashes for what is no letter. */
function pathFor(file, { paths }) {
  if (paths === 'as they are') return file;
  const dashed = (name) => name.replace(/[^\p{L}\p{N}$]+/gu, '-').replace(/^-+|-+$/g, '');
  const names = file.replaceAll('___', '/').toLowerCase().split('/');
  return names
    .map((name, at) => {
      const extension = at === names.length - 1 ? (/\.[a-z0-9]+$/.exec(name)?.[0] ?? '') : '';
      return dashed(name.slice(0, name.length - extension.length)) + extension;
    })
    .filter(Boolean)
    .join('/');
}

function titleOf(text, file) {
  const heading = extname(file).toLowerCase() === '.md' ? /^##?\s+(.+)$/m.exec(text) : null;
  return heading?.[1]?.trim() || basename(file).replace(/\.[^.]+$/, '');
}

/** The age of the newest document of a collection. */
export function ageOf(index, name) {
  const times = index.documents.filter((one) => one.collection === name).map((one) => one.modified);
  const seconds = Math.floor((Date.now() - Math.max(...times, Number.NEGATIVE_INFINITY)) / 1000);
  return `${Number.isFinite(seconds) ? seconds : 0}s ago`;
}

export function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
