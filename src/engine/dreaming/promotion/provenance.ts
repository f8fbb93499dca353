import { PROMOTION_MARK } from '../../memory/sources/own-writing.js';
import type { LineRange } from '../../memory/types.js';
import { type ClaimKey, isClaimKey } from '../claims/claim-words.js';

/** Where a promoted entry came from and why, as its comment in `MEMORY.md` says. */
export interface Provenance {
  readonly key: ClaimKey;
  readonly sweepId: string;
  /** Workspace-relative path of the note. */
  readonly path: string;
  readonly lines: LineRange;
  readonly score: number;
  readonly recalls: number;
}

const COMMENT =
  /^<!-- svc:memory-promotion:([0-9a-f]{16}) sweep=(\S+) from=(\S+)#L(\d+)(?:-L(\d+))? score=([\d.]+) recalls=(\d+) -->$/u;

/** The comment above a promoted entry, on one line. */
export function formatProvenance(provenance: Provenance): string {
  const { startLine, endLine } = provenance.lines;
  const lines = startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
  return [
    `${PROMOTION_MARK}${provenance.key}`,
    `sweep=${provenance.sweepId}`,
    `from=${encodePath(provenance.path)}#${lines}`,
    `score=${provenance.score.toFixed(2)}`,
    `recalls=${provenance.recalls} -->`,
  ].join(' ');
}

/** Reads such a comment; undefined for any other line. */
export function parseProvenance(line: string): Provenance | undefined {
  const [, key = '', sweepId = '', path = '', start = '', end = start, score = '', recalls = ''] =
    COMMENT.exec(line) ?? [];
  if (!isClaimKey(key)) return undefined;
  return {
    key,
    sweepId,
    path: decodePath(path),
    lines: { startLine: Number(start), endLine: Number(end) },
    score: Number(score),
    recalls: Number(recalls),
  };
}

/** No space and no `>`, so that no file name ends the comment. */
function encodePath(path: string): string {
  return path.replaceAll(/[%\s#<>"]|--/gu, (part) =>
    encodeURIComponent(part).replaceAll('-', '%2D'),
  );
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
