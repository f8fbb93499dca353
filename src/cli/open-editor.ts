import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { type SourceLocation, SvcError, systemReason } from '../engine/errors/index.js';
import type { OpenedMemory } from '../engine/memory/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { documentFormatOf } from '../engine/support/document-format.js';
import { shellWord } from '../engine/support/text.js';
import type { CommandContext } from './command-context.js';
import { commandWords, endOfForeground } from './foreground.js';

/**
 * Opens `$VISUAL` or `$EDITOR` at a location, or passes on the location if neither is set. PDF and Word files are opened
 * in the viewer of the system.
 *
 * @throws SvcError USAGE if the editor cannot be run
 */
export async function openInEditor(
  location: SourceLocation,
  { context: { env }, showLocation }: Pick<CommandContext, 'context' | 'showLocation'>,
): Promise<void> {
  const { file } = location;
  const format = documentFormatOf(file);
  if (format === 'pdf' || format === 'docx') {
    if (!(await openOnDesktop(file, env))) showLocation(file);
    return;
  }
  // Lines of a web page are those of its text.
  const line = format === 'html' ? 1 : location.line;
  const editor = editorOf(env);
  if (editor === undefined) {
    showLocation(`${file}:${line}`);
    return;
  }
  const { program, args } = editorCommand(editor, { ...location, line });
  try {
    await endOfForeground(spawn(program, args, { stdio: 'inherit' }));
  } catch (cause) {
    throw new SvcError('USAGE', `cannot run the editor "${editor}": ${systemReason(cause)}`, {
      hint: 'set VISUAL or EDITOR to a program that exists',
      cause,
    });
  }
}

/** The editor that the user has chosen, if any. */
export function editorOf(env: EngineContext['env']): string | undefined {
  return [env['VISUAL'], env['EDITOR']].find((name) => (name ?? '').trim() !== '');
}

/**
 * Opens a file or a folder in the program that the desktop has for it.
 *
 * @returns false where there is no desktop, or it refuses
 */
export async function openOnDesktop(path: string, env: EngineContext['env']): Promise<boolean> {
  const isMac = process.platform === 'darwin';
  const hasScreen = isMac || env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  if (!hasScreen) return false;
  return new Promise<boolean>((resolve) => {
    const child = spawn(isMac ? 'open' : 'xdg-open', [path], { stdio: 'ignore' });
    child.on('close', (exitCode) => resolve(exitCode === 0));
    child.on('error', () => resolve(false));
  });
}

/**
 * The absolute path of an indexed file, to open it in an editor.
 *
 * @param name of a document, see documentName
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export async function fileToEdit(
  { backend }: Pick<OpenedMemory, 'backend'>,
  { name, line }: { readonly name: string; readonly line: number },
): Promise<string> {
  const { absolutePath } = await backend.get({ target: name, from: line, lines: 1 });
  if (absolutePath !== undefined) return absolutePath;
  throw new SvcError('DOCUMENT_UNREADABLE', `${name} is not a file on this host`, {
    hint: `run "svc memory get ${shellWord(`${name}#L${line}`)}" to read it here`,
  });
}

/** The names of editors, and the arguments that open a location in them. */
const EDITORS: readonly (readonly [names: string, ...args: readonly string[]])[] = [
  // Not every vi has functions.
  ['vi ex view pico joe mcedit', '+LINE', 'FILE'],
  ['vim gvim mvim nvim', '+call cursor(LINE, COLUMN)', 'FILE'],
  ['nano ne', '+LINE,COLUMN', 'FILE'],
  ['kak micro emacs emacsclient gedit', '+LINE:COLUMN', 'FILE'],
  ['hx helix zed zeditor subl sublime_text', 'FILE:LINE:COLUMN'],
  ['code code-insiders codium vscodium cursor windsurf', '--goto', 'FILE:LINE:COLUMN'],
  ['mate', '--line', 'LINE', 'FILE'],
  [
    'kate idea webstorm pycharm goland rubymine phpstorm clion',
    ...['--line', 'LINE', '--column', 'COLUMN', 'FILE'],
  ],
];

/**
 * A program and its arguments that open a location.
 *
 * @param command `$VISUAL` or `$EDITOR`: a program, possibly quoted, and arguments of the user; not for a shell
 */
export function editorCommand(command: string, { file, line, column }: SourceLocation) {
  const [program = command, ...userArgs] = commandWords(command);
  const name = basename(program).replace(/\.(?:app|bin|exe|cmd|sh)$/iu, '');
  // A name such as vim.basic or emacs-29 is that of an editor and a variant.
  const names = [name, (name.split(/[.\d]/u)[0] ?? '').replace(/-$/u, '')];
  // An unknown editor opens the file, because it might take a line for another file.
  const [, ...form] = names.flatMap((one) =>
    EDITORS.filter(([known]) => known.split(' ').includes(one)),
  )[0] ?? ['', 'FILE'];
  const values: Readonly<Record<string, unknown>> = { FILE: file, LINE: line, COLUMN: column };
  const args = form.map((word) =>
    word.replaceAll(/FILE|LINE|COLUMN/gu, (at) => String(values[at])),
  );
  return { program, args: [...userArgs, ...args] };
}
