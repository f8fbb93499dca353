import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseDocument } from 'yaml';
import { messageOf } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { resolvePath } from '../../support/paths.js';
import { isRecord } from '../../support/text.js';
import {
  type ImportedData,
  type ImportedSetting,
  invalidSource,
  isFolder,
  type LeftOutItem,
  readSource,
} from '../imported.js';

const SEARCH = ['agents', 'defaults', 'memorySearch'] as const;
/** More aliases than a configuration needs; each can multiply the size of the data. */
const MAX_ALIASES = 20;

/**
 * Reads the collections of a qmd configuration. Its index and its shell commands are never used.
 *
 * @param path an `index.yml`, its folder, or a project with `.qmd`
 * @throws SvcError IMPORT_*
 */
export function readQmd(path: string | undefined, context: EngineContext): ImportedData {
  const file = configFile(path, context);
  const settings: ImportedSetting[] = [];
  const leftOut: LeftOutItem[] = [];
  const { collections, ...others } = parseConfig(file);
  for (const [name, collection] of Object.entries(isRecord(collections) ? collections : {})) {
    if (isRecord(collection)) readCollection(name, collection);
    else leftOut.push({ from: `collections.${name}`, why: 'it is not a collection' });
  }
  for (const key of Object.keys(others)) {
    leftOut.push({ from: key, why: OTHERS[key] ?? 'svc has no such setting' });
  }
  return { source: file, settings, leftOut, entries: [] };

  function readCollection(name: string, collection: Readonly<Record<string, unknown>>): void {
    const from = `collections.${name}`;
    const { path, pattern, ignore, context: described, update, includeByDefault } = collection;
    if (typeof path !== 'string' || path === '') {
      leftOut.push({ from, why: 'it has no path' });
      return;
    }
    const folder = resolvePath(path, baseOf(file), context.homeDir);
    if (!isFolder(folder)) {
      leftOut.push({ from, why: `the folder ${folder} does not exist` });
      return;
    }
    if (includeByDefault === false) {
      leftOut.push({ from, why: 'qmd searches it only when it is named' });
      return;
    }
    const isAll = pattern === undefined || pattern === '**/*.md';
    settings.push({
      from,
      path: [...SEARCH, 'extraPaths'],
      value: [folder],
      adds: true,
      note: isAll
        ? undefined
        : `svc indexes all Markdown of the folder, not only ${JSON.stringify(pattern)}`,
    });
    const ignored = (Array.isArray(ignore) ? ignore : []).filter((one) => typeof one === 'string');
    if (ignored.length > 0) {
      settings.push({
        from: `${from}.ignore`,
        path: [...SEARCH, 'exclude'],
        value: ignored,
        adds: true,
        note: 'the patterns apply to every folder of the memory',
      });
    }
    if (described !== undefined) {
      leftOut.push({ from: `${from}.context`, why: 'svc has no descriptions of folders' });
    }
    if (update !== undefined) {
      leftOut.push({ from: `${from}.update`, why: 'svc runs no shell commands' });
    }
  }
}

const OTHERS: Readonly<Record<string, string>> = {
  global_context: 'svc has no descriptions of folders',
  editor_uri: 'svc opens $VISUAL or $EDITOR',
  models: 'set memorySearch.provider to "local", and local.modelPath to a model, to embed here',
};

function configFile(path: string | undefined, { env, homeDir }: EngineContext): string {
  const xdg = env['XDG_CONFIG_HOME'];
  const start = path ?? (env['QMD_CONFIG_DIR'] || join(xdg || join(homeDir, '.config'), 'qmd'));
  if (!isFolder(start)) return start;
  // As qmd prefers them.
  const files = basename(start) === PROJECT_FOLDER ? PROJECT_FILES : ['index.yml', ...IN_PROJECT];
  const paths = files.map((name) => join(start, name));
  return paths.find((file) => existsSync(file)) ?? join(start, 'index.yml');
}

const PROJECT_FOLDER = '.qmd';
const PROJECT_FILES = ['index.yaml', 'index.yml'];
const IN_PROJECT = PROJECT_FILES.map((name) => join(PROJECT_FOLDER, name));

/** Where relative paths of a file start: of a project, at the folder that contains `.qmd`. */
function baseOf(file: string): string {
  const folder = dirname(file);
  return basename(folder) === PROJECT_FOLDER ? dirname(folder) : folder;
}

function parseConfig(file: string): Readonly<Record<string, unknown>> {
  try {
    const text = readSource(file);
    if (isNestedDeeply(text)) throw invalidSource(file, 'it is nested too deeply');
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error !== undefined) throw invalidSource(file, `it is not YAML: ${firstLine(error)}`);
    const data: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (data === null) return {};
    if (!isRecord(data)) throw invalidSource(file, 'it is not a mapping');
    return data;
  } catch (cause) {
    // Too many aliases, or too deep.
    if (cause instanceof ReferenceError || cause instanceof RangeError) {
      throw invalidSource(file, firstLine(cause), cause);
    }
    throw cause;
  }
}

/** Columns of indentation, and brackets in the whole text. */
const MAX_NESTING = 200;

/** The parser is recursive: deep nesting would end the process, which no error handler can prevent. */
function isNestedDeeply(text: string): boolean {
  const brackets = text.match(/[[{]/gu)?.length ?? 0;
  return brackets > MAX_NESTING || text.split('\n').some((line) => /^[\s?:-]{200}/u.test(line));
}

function firstLine(error: unknown): string {
  return (messageOf(error).split('\n', 1)[0] ?? '').replace(/:$/u, '');
}
