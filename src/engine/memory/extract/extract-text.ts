import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment, runProgram } from '../../child/index.js';
import type { ExtractedFormat } from '../../support/document-format.js';
import {
  EXTRACTION_MS,
  type Extraction,
  MEMORY_LIMIT_BYTES,
  MOST_JSON_BYTES,
  parseExtraction,
} from './limits.js';

/** What to extract, and from what. */
export interface ExtractionRequest {
  readonly format: ExtractedFormat;
  readonly bytes: Uint8Array;
  readonly libraryDir: string;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal | undefined;
}

const IS_SOURCE = import.meta.url.endsWith('.ts');
/** In the built program, this module is in a chunk. */
const PROCESS = fileURLToPath(
  new URL(
    IS_SOURCE ? 'extract-process.ts' : '../engine/memory/extract/extract-process.js',
    import.meta.url,
  ),
);

/**
 * Extracts the text of an untrusted file in a child process, within limits of time, memory and output.
 *
 * @throws the signal's reason
 */
export async function extractText(request: ExtractionRequest): Promise<Extraction> {
  const { format, bytes, libraryDir, timeoutMs = EXTRACTION_MS, signal } = request;
  const heap = `--max-old-space-size=${MEMORY_LIMIT_BYTES / 1024 / 1024}`;
  const loader = IS_SOURCE ? process.execArgv : [];
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
  // A process that ran out of memory before its thread did.
  return answer ?? { ok: false, fault: 'memory' };
}
