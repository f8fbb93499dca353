import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { getEditorInfo } from 'open-editor';
import type { EngineContext } from '../engine/context.js';
import { SvcError } from '../engine/errors/index.js';

/** A place in a file; both counted from 1. */
export interface EditorPlace {
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/**
 * Runs `$VISUAL` or `$EDITOR` at a place; prints the place when neither is set.
 *
 * @throws SvcError USAGE when the editor cannot be run
 */
export async function openInEditor(
  { file, line, column = 1 }: EditorPlace,
  { env }: EngineContext,
): Promise<void> {
  const editor = [env['VISUAL'], env['EDITOR']].find((name) => (name ?? '') !== '');
  if (editor === undefined) {
    process.stdout.write(`${file}:${line}\n`);
    return;
  }
  const [binary = editor, ...own] = editor.trim().split(/\s+/);
  // The library knows how each editor is told a line; the program and its flags are the person's.
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
