/* The text of documents that need a library. Loaded by name: `extract-process.ts`, as a child process. */

import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ChildEnd } from '../../child/child-group.js';
import { childEnvironment } from '../../child/program.js';
import {
  documentFormatOf,
  EXTRACTION_VERSION,
  type ExtractedFormat,
  isExtracted,
} from '../../support/document-format.js';
import {
  makeFolders,
  namesIn,
  PRIVATE_MODE,
  readRegularFile,
  unlessSystemError,
} from '../../support/files.js';
import { replaceFile } from '../../support/replace-file.js';
import {
  documentOf,
  type FileBytes,
  hashOf,
  type ReadOutcome,
  readBytes,
  textLines,
} from '../sources/index.js';
import type { SkippedFile, SourceFile } from '../types.js';
import {
  EXTRACTION_MS,
  type Extraction,
  MEMORY_LIMIT_BYTES,
  MOST_JSON_BYTES,
  MOST_TEXT_CHARS,
  OUT_OF_MEMORY,
  parseExtraction,
} from './limits.js';
import { installedPdfLibrary } from './pdf-library.js';

/** The folder of the extracted texts of an index, next to it. */
export function extractedFolder(indexFile: string): string {
  return join(dirname(indexFile), `${basename(indexFile, '.sqlite')}.texts`);
}

interface ReadOptions {
  /** Whether its text is kept; only by syncs, which drop it again if something in it is forgotten. */
  readonly keeps?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const ENDING = `.${EXTRACTION_VERSION}.gz`;

/**
 * The texts of documents. Those that a library must extract are kept by the content of their files: a file is
 * extracted once, however often the index is rebuilt. What failed is kept too, so that a bad file does not delay
 * every sync.
 */
export class ExtractedTexts {
  private readonly folder: string;
  private readonly librariesDir: string;
  private readonly retries: boolean;
  private readonly readHashes = new Set<string>();

  /** @param options whether files are tried again that failed before */
  constructor(
    { indexFile, librariesDir }: { readonly indexFile: string; readonly librariesDir: string },
    { retries = false }: { readonly retries?: boolean } = {},
  ) {
    this.folder = extractedFolder(indexFile);
    this.librariesDir = librariesDir;
    this.retries = retries;
  }

  /** The text of a file as it is now. */
  async read(
    { absolutePath, path }: Pick<SourceFile, 'absolutePath' | 'path'>,
    options: ReadOptions = {},
  ): Promise<ReadOutcome> {
    const opened = readBytes(absolutePath, path);
    return opened.ok ? this.textOf(path, opened, options) : opened;
  }

  /** The text of a file that was read. */
  async textOf(
    path: string,
    file: FileBytes,
    { keeps = false, signal }: ReadOptions = {},
  ): Promise<ReadOutcome> {
    const format = documentFormatOf(path);
    if (format === undefined || !isExtracted(format)) {
      return { ok: true, document: documentOf(file) };
    }
    const { bytes, fingerprint } = file;
    const hash = hashOf(bytes);
    this.readHashes.add(hash);
    const stored = readKept(this.fileOf(hash));
    const kept = this.retries && stored?.ok === false ? undefined : stored;
    const extraction = kept ?? (await this.extract(format, bytes, signal));
    if (keeps && kept === undefined) this.keep(hash, extraction);
    if (!extraction.ok) {
      const [reason, detail] = skipReason(extraction, format);
      return { ok: false, skip: { path, reason, detail } };
    }
    // An index cannot store NUL; texts that are kept may have it.
    const lines = textLines(extraction.text.replaceAll('\0', ' '));
    return { ok: true, document: { fingerprint, hash, lines } };
  }

  /** Removes a text that must not be kept, because something in it is forgotten. */
  drop(hash: string): void {
    rmSync(this.fileOf(hash), { force: true });
  }

  /**
   * Removes the texts of files that are neither indexed nor were read, and those of other versions.
   *
   * @param indexed the hashes of the documents in the index
   */
  async prune(indexed: () => Promise<readonly string[]>): Promise<void> {
    const names = namesIn(this.folder);
    if (names.length === 0) return;
    const hashes = new Set((await indexed()).map((hash) => hash.split('.', 1)[0] ?? ''));
    for (const name of names) {
      const hash = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : '';
      if (!hashes.has(hash) && !this.readHashes.has(hash))
        rmSync(join(this.folder, name), { force: true });
    }
  }

  private extract(
    format: ExtractedFormat,
    bytes: Buffer,
    signal: AbortSignal | undefined,
  ): Promise<Extraction> {
    const library = format === 'pdf' ? installedPdfLibrary(this.librariesDir) : undefined;
    if (format === 'pdf' && library === undefined) {
      return Promise.resolve({ ok: false, fault: 'library' });
    }
    return extractText({ format, bytes, libraryDir: library?.folder ?? '', signal });
  }

  private keep(hash: string, extraction: Extraction): void {
    // The library can be installed at any time, and who ended the process says nothing about the file.
    if (!extraction.ok && ['library', 'interrupted'].includes(extraction.fault)) return;
    makeFolders(this.folder);
    replaceFile(this.fileOf(hash), gzipSync(JSON.stringify(extraction)), PRIVATE_MODE);
  }

  private fileOf(hash: string): string {
    return join(this.folder, hash + ENDING);
  }
}

/** Undefined if there is none, or it is damaged. */
function readKept(file: string): Extraction | undefined {
  const read = (): Buffer =>
    gunzipSync(readRegularFile(file), { maxOutputLength: MOST_JSON_BYTES });
  return parseExtraction(String(unlessSystemError(read)));
}

const MEGABYTE = 1024 * 1024;

function skipReason(
  extraction: Extract<Extraction, { ok: false }>,
  format: ExtractedFormat,
): readonly [reason: SkippedFile['reason'], detail: string] {
  const { fault, detail } = extraction;
  switch (fault) {
    case 'depth':
      return ['too_large', 'its elements are nested too deeply'];
    case 'encrypted':
      return ['unreadable', 'it is protected by a password'];
    case 'invalid':
      return ['wrong_format', `not a readable ${format} file${detail ? `: ${detail}` : ''}`];
    case 'library':
      return ['unreadable', 'install the library for PDF files: svc memory documents install pdf'];
    case 'memory':
      return ['too_large', 'extracting its text takes too much memory'];
    case 'interrupted':
      return [
        'unreadable',
        `extracting its text was interrupted (${detail}); "svc memory index" tries again`,
      ];
    case 'process':
      return ['unreadable', `extracting its text failed (${detail})`];
    case 'text':
      return ['too_large', `it has more than ${MOST_TEXT_CHARS / MEGABYTE} MB of text`];
    case 'time':
      return ['too_large', `extracting its text takes longer than ${EXTRACTION_MS / 1000} seconds`];
  }
}

const IS_SOURCE = import.meta.url.endsWith('.ts');
/** In the built program, this module is in a chunk. */
const PROCESS = fileURLToPath(
  new URL(
    IS_SOURCE ? 'extract-process.ts' : '../engine/memory/extract/extract-process.js',
    import.meta.url,
  ),
);

/** Extracts the text of an untrusted file in a child process, within limits of time, memory and output. */
export async function extractText({
  format,
  bytes,
  libraryDir,
  timeoutMs = EXTRACTION_MS,
  signal,
}: {
  readonly format: ExtractedFormat;
  readonly bytes: Uint8Array;
  readonly libraryDir: string;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal | undefined;
}): Promise<Extraction> {
  const heap = `--max-old-space-size=${MEMORY_LIMIT_BYTES / MEGABYTE}`;
  const loader = IS_SOURCE ? process.execArgv : [];
  // Loading what starts processes takes 5 ms.
  const { runProgram } = await import('../../child/run-program.js');
  const end = await runProgram({
    command: [process.execPath, ...loader, PROCESS, format, libraryDir],
    // A standalone executable takes options of Node.js only from here.
    env: childEnvironment({}, { NODE_OPTIONS: heap }),
    cwd: dirname(PROCESS),
    input: bytes,
    timeoutMs,
    maxOutputBytes: MOST_JSON_BYTES,
    stderrBytes: 0,
    signal,
  });
  if (end.kind === 'killed')
    return { ok: false, fault: end.limit === 'timeoutMs' ? 'time' : 'text' };
  const answer = end.kind === 'exited' ? parseExtraction(end.stdout.toString()) : undefined;
  return answer ?? faultOf(end);
}

function faultOf(end: ChildEnd): Extraction {
  switch (end.kind) {
    case 'exited':
      return { ok: false, fault: 'process', detail: `exit code ${end.exitCode}` };
    case 'not-started':
      return { ok: false, fault: 'interrupted', detail: end.code };
    case 'signalled': {
      const { signal: detail } = end;
      if (detail === OUT_OF_MEMORY) return { ok: false, fault: 'memory' };
      const fault = FROM_OUTSIDE.includes(detail) ? 'interrupted' : 'process';
      return { ok: false, fault, detail };
    }
  }
}

/** Signals that others send: a person, the system when its memory is used up. */
const FROM_OUTSIDE: readonly string[] = ['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM'];
