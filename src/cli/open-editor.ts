import { spawn } from 'node:child_process';
import { SvcError } from '../engine/errors/index.js';
import type { OpenedMemory } from '../engine/memory/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { documentFormatOf } from '../engine/support/document-format.js';
import { type EditorPlace, editorCommand } from './editor-arguments.js';
import { endOfForeground } from './foreground.js';

/**
 * Opens `$VISUAL` or `$EDITOR` at a location, or prints the location if neither is set. PDF and Word files are opened
 * in the viewer of the system.
 *
 * @throws SvcError USAGE if the editor cannot be run
 */
export async function openInEditor(
  place: EditorPlace,
  { env }: Pick<EngineContext, 'env'>,
): Promise<void> {
  const { file } = place;
  const format = documentFormatOf(file);
  if (format === 'pdf' || format === 'docx') return openInViewer(file, env);
  // Lines of a web page are those of its text.
  const line = format === 'html' ? 1 : place.line;
  const editor = editorOf(env);
  if (editor === undefined) {
    process.stdout.write(`${file}:${line}\n`);
    return;
  }
  const { program, args } = editorCommand(editor, { ...place, line });
  try {
    await endOfForeground(spawn(program, args, { stdio: 'inherit' }));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SvcError('USAGE', `cannot run the editor "${editor}": ${why}`, {
      hint: 'set VISUAL or EDITOR to a program that exists',
      cause,
    });
  }
}

/** The editor that the user has chosen, if any. */
export function editorOf(env: EngineContext['env']): string | undefined {
  return [env['VISUAL'], env['EDITOR']].find((name) => (name ?? '').trim() !== '');
}

/** Opens a file in the viewer of the system, or prints its path where there is none. */
async function openInViewer(file: string, env: EngineContext['env']): Promise<void> {
  if (!(await openOnDesktop(file, env))) process.stdout.write(`${file}\n`);
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
