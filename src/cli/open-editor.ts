import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { getEditorInfo } from 'open-editor';
import { SvcError } from '../engine/errors/index.js';
import type { OpenedMemory } from '../engine/memory/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { documentFormatOf } from '../engine/support/document-format.js';

/** A location in a file, counted from 1. */
export interface EditorPlace {
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/**
 * Opens `$VISUAL` or `$EDITOR` at a location, or prints the location if neither is set. PDF and Word files are opened
 * in the viewer of the system.
 *
 * @throws SvcError USAGE if the editor cannot be run
 */
export async function openInEditor(
  { file, line: given, column = 1 }: EditorPlace,
  { env }: EngineContext,
): Promise<void> {
  const format = documentFormatOf(file);
  if (format === 'pdf' || format === 'docx') return openInViewer(file, env);
  // Lines of a web page are those of its text.
  const line = format === 'html' ? 1 : given;
  const editor = [env['VISUAL'], env['EDITOR']].find((name) => (name ?? '') !== '');
  if (editor === undefined) {
    process.stdout.write(`${file}:${line}\n`);
    return;
  }
  const [binary = editor, ...own] = editor.trim().split(/\s+/);
  // The library knows how to pass a line to each editor; the program and its flags are the user's.
  const known = getEditorInfo([{ file, line, column }], { editor: basename(binary) });
  await new Promise<void>((resolve, reject) => {
    const child = spawn(binary, [...own, ...known.arguments], { stdio: 'inherit' });
    child.on('close', () => resolve());
    child.on('error', (cause) => {
      reject(
        new SvcError('USAGE', `cannot run the editor "${editor}": ${cause.message}`, {
          hint: 'set VISUAL or EDITOR to a program that exists',
          cause,
        }),
      );
    });
  });
}

/** Opens a file in the viewer of the system, or prints its path where there is none. */
async function openInViewer(file: string, env: EngineContext['env']): Promise<void> {
  const isMac = process.platform === 'darwin';
  const hasScreen = isMac || env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  const isOpen =
    hasScreen &&
    (await new Promise<boolean>((resolve) => {
      const child = spawn(isMac ? 'open' : 'xdg-open', [file], { stdio: 'ignore' });
      child.on('close', (exitCode) => resolve(exitCode === 0));
      child.on('error', () => resolve(false));
    }));
  if (!isOpen) process.stdout.write(`${file}\n`);
}

/**
 * The absolute path of an indexed file, to open it in an editor.
 *
 * @param place the name of a document, see documentName
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export async function fileToEdit(
  { backend }: Pick<OpenedMemory, 'backend'>,
  { name, line }: { readonly name: string; readonly line: number },
): Promise<string> {
  const { absolutePath } = await backend.get({ target: name, from: line, lines: 1 });
  if (absolutePath !== undefined) return absolutePath;
  throw new SvcError('DOCUMENT_UNREADABLE', `${name} is a file of another host`, {
    hint: `run "svc memory get '${name}#L${line}'" to read it here`,
  });
}
