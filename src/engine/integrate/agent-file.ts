import { existsSync, lstatSync, readlinkSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import { isReadOnly, makeFolders, readRegularFile, SHARED_FOLDER_MODE } from '../support/files.js';
import { realOrGiven } from '../support/paths.js';
import { removeStrayTemporaries, replaceFile } from '../support/replace-file.js';
import { shellWord } from '../support/text.js';
import type { FileSyntax } from './agent.js';
import { type DocumentEditor, scriptEditor } from './edit/document-editor.js';
import { jsonEditor, withoutTrailingCommas } from './edit/json-editor.js';
import { tomlEditor } from './edit/toml-editor.js';

/** A configuration file of an agent. */
export interface AgentFile {
  /** Where the agent looks for it. */
  readonly path: string;
  /** `path` with links followed, whether it exists or not. */
  readonly target: string;
  /** Without the byte order mark; undefined where the file does not exist. */
  readonly text: string | undefined;
  readonly hasBom: boolean;
}

const BOM = '\uFEFF';
/** Some agents keep their history in the same file. */
const MAX_BYTES = 64 * 1024 * 1024;
const MOST_LINKS = 40;

/**
 * Reads a configuration file.
 *
 * @throws SvcError INTEGRATION_FILE_INVALID
 */
export function readAgentFile(path: string): AgentFile {
  const target = followLinks(path);
  const bytes = readBytes(path, target);
  if (bytes === undefined) return { path, target, text: undefined, hasBom: false };
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    const text = decoder.decode(bytes);
    const hasBom = text.startsWith(BOM);
    return { path, target, text: hasBom ? text.slice(1) : text, hasBom };
  } catch (cause) {
    throw invalidFile(path, 'is not UTF-8 text', 'save it as UTF-8', cause);
  }
}

/**
 * Writes a file, or removes it where the text is undefined.
 *
 * @param mode of a new file
 * @throws SvcError INTEGRATION_WRITE_FAILED; the old file is unchanged then
 */
export function writeAgentFile(
  { path, target, hasBom }: AgentFile,
  text: string | undefined,
  mode: number,
): void {
  try {
    const old = statSync(target, { throwIfNoEntry: false });
    if (old !== undefined && isReadOnly(old)) throw readOnlyError(path);
    if (text === undefined) {
      rmSync(target, { force: true });
      return;
    }
    makeFolders(dirname(target), SHARED_FOLDER_MODE);
    // A killed one may have left a copy of the file, with the keys in it.
    removeStrayTemporaries(dirname(target), Date.now());
    const content = hasBom ? BOM + text : text;
    replaceFile(target, content, old === undefined ? mode : old.mode & 0o7777);
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError('INTEGRATION_WRITE_FAILED', `cannot write ${path}: ${systemReason(cause)}`, {
      hint: 'check the permissions of its folder and the free disk space',
      cause,
    });
  }
}

/** The outermost folder to create for a file; undefined where its folder exists. */
export function folderToCreate(target: string): string | undefined {
  let missing: string | undefined;
  for (let folder = dirname(target); !existsSync(folder); folder = dirname(folder)) {
    missing = folder;
  }
  return missing;
}

/** Removes the empty folders above a file, up to the outermost that was created for it. */
export function removeCreatedFolders(target: string, outermost: string): void {
  try {
    for (let folder = dirname(target); folder.startsWith(outermost); folder = dirname(folder)) {
      rmdirSync(folder);
    }
  } catch {
    // A folder is not empty.
  }
}

/** Like realpath, but the last target need not exist: people link their dotfiles. */
function followLinks(file: string): string {
  let target = file;
  try {
    for (let links = 0; links < MOST_LINKS; links++) {
      if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return target;
      // A link is relative to its real folder, which may be reached by a link too.
      target = resolve(realOrGiven(dirname(target)), readlinkSync(target));
    }
  } catch (cause) {
    throw invalidFile(file, `cannot be read: ${systemReason(cause)}`, 'check the path', cause);
  }
  throw invalidFile(file, 'is a link to itself', 'fix the link');
}

function readBytes(file: string, target: string): Uint8Array | undefined {
  try {
    return readRegularFile(target, MAX_BYTES);
  } catch (cause) {
    const code = systemErrorCode(cause) ?? '';
    if (code === 'ENOENT') return undefined;
    const problem = NOT_A_CONFIGURATION[code];
    if (problem !== undefined) throw invalidFile(file, problem, 'check what it is');
    const why = `cannot be read: ${systemReason(cause)}`;
    throw invalidFile(file, why, 'check its permissions', cause);
  }
}

const NOT_A_CONFIGURATION: Readonly<Record<string, string>> = {
  EFBIG: 'is larger than 64 MiB',
  EFTYPE: 'is not a regular file',
  EISDIR: 'is not a regular file',
};

function readOnlyError(file: string): SvcError {
  return new SvcError('INTEGRATION_WRITE_FAILED', `${file} is read-only`, {
    hint: `another program may manage it; if not: chmod u+w ${shellWord(file)}`,
  });
}

function invalidFile(file: string, why: string, hint: string, cause?: unknown): SvcError {
  return new SvcError('INTEGRATION_FILE_INVALID', `${file} ${why}`, {
    hint,
    location: { file, line: 1, column: 1 },
    cause,
  });
}

export const EDITORS: Readonly<Record<FileSyntax, DocumentEditor>> = {
  json: jsonEditor,
  'json-without-trailing-commas': withoutTrailingCommas(jsonEditor),
  script: scriptEditor,
  toml: tomlEditor,
};
