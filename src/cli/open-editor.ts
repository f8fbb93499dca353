import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { getEditorInfo } from 'open-editor';
import { SvcError } from '../engine/errors/index.js';
import type { EngineContext } from '../engine/support/context.js';

/** A location in a file, counted from 1. */
export interface EditorPlace {
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/**
 * Opens `$VISUAL` or `$EDITOR` at a location, or prints the location if neither is set.
 *
 * @throws SvcError USAGE if the editor cannot be run
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
