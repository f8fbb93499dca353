/** The index: the collections, and their documents as they were last read. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the tool keeps its files. The index has the name of the real one, but is JSON. */
export function placesOf(env) {
  const home = env.HOME ?? '/';
  const config = env.QMD_CONFIG_DIR ?? join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'qmd');
  const cache = join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'qmd');
  return { config: join(config, 'index.yml'), index: join(cache, 'index.sqlite') };
}

/** The collections of the configuration file, in its order: name, path and pattern. */
export function readCollections({ config }) {
  const collections = [];
  for (const line of textOf(config).split('\n')) {
    const name = /^ {2}(\S.*):$/.exec(line)?.[1];
    if (name !== undefined) collections.push({ name: plain(name), path: '', pattern: '' });
    const [, key, value] = /^ {4}(path|pattern): (.*)$/.exec(line) ?? [];
    if (key !== undefined) collections[collections.length - 1][key] = plain(value);
  }
  return collections;
}

export function writeCollections({ config }, collections) {
  const blocks = collections.map(
    ({ name, path, pattern }) =>
      `  ${name}:\n    path: ${quotedIfNeeded(path)}\n    pattern: ${quotedIfNeeded(pattern)}\n`,
  );
  const head = collections.length === 0 ? 'collections: {}\n' : 'collections:\n';
  replace(config, head + blocks.join(''));
}

/** The documents, the hashes of all stored contents, and the hashes of those that have vectors. */
export function readIndex({ index }) {
  const text = textOf(index);
  return text === '' ? { documents: [], contents: [], embedded: [] } : JSON.parse(text);
}

export function writeIndex({ index }, content) {
  replace(index, JSON.stringify(content));
}

/** How many contents of live documents have no vectors. */
export function pendingOf({ documents, embedded }) {
  const live = new Set(documents.filter((one) => one.active).map((one) => one.hash));
  return [...live].filter((hash) => !embedded.includes(hash)).length;
}

export function hashOf(text) {
  // Most calls need no hash, and an import would be a tenth of what they take.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function replace(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

function plain(value) {
  return value.startsWith('"') ? JSON.parse(value) : value;
}

function quotedIfNeeded(value) {
  return /^[\w/.][\w/. -]*$/.test(value) ? value : JSON.stringify(value);
}
