import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of its own for a test; removed when the test process ends. */
export interface TempFolder {
  /** Absolute, without symbolic links in it. */
  readonly path: string;
  /** The absolute path of something below it. */
  at(path: string): string;
  /** Writes a file, creating its folders; returns its absolute path. */
  write(path: string, content: string | Uint8Array): string;
  /** Writes a shell script that can be run; returns its absolute path. */
  writeScript(path: string, commands: string): string;
}

const created: string[] = [];

function removeAll(): void {
  // A process that was killed just now may still be writing.
  for (const path of created) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Makes an empty folder that any user may enter. */
export function tempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'svc-test-')));
  if (created.length === 0) process.on('exit', removeAll);
  created.push(path);
  return folderAt(path);
}

/** Does something while another folder is the system's temporary folder. */
export async function withTemporaryFolder<T>(
  folder: string,
  work: () => Promise<T> | T,
): Promise<T> {
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = folder;
  try {
    return await work();
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
}

/** Does something while the system takes one path for another, which folders list: as macOS where they differ by case. */
export async function withSamePath<T>(
  typed: string,
  listed: string,
  work: () => Promise<T> | T,
): Promise<T> {
  const { native } = realpathSync;
  Object.assign(realpathSync, { native: (path: string) => native(path.replace(typed, listed)) });
  try {
    return await work();
  } finally {
    Object.assign(realpathSync, { native });
  }
}

/** An existing folder. */
export function folderAt(path: string): TempFolder {
  const at = (below: string): string => join(path, below);
  const write: TempFolder['write'] = (below, content) => {
    mkdirSync(dirname(at(below)), { recursive: true });
    writeFileSync(at(below), content);
    return at(below);
  };
  const writeScript: TempFolder['writeScript'] = (below, commands) => {
    const file = write(below, `#!/bin/sh\n${commands}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  return { path, at, write, writeScript };
}

/** A folder with these files in it, by path. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): TempFolder {
  const folder = tempFolder();
  for (const [path, content] of Object.entries(files)) folder.write(path, content);
  return folder;
}
