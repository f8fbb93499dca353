import { hideConfigValues } from '../config/hide-config-values.js';
import { createTextPositions } from '../config/source-text.js';
import type { SourceLocation } from '../errors/index.js';
import type { Excerpt } from './finding.js';

const CONTEXT_LINES = 2;

/** Cuts the lines around places out of a configuration text, with secrets masked. */
export function excerpts(text: string): (place: SourceLocation) => Excerpt {
  const masked = hideConfigValues(text);
  const positions = createTextPositions('', masked.text);
  const lines = masked.text.split(/\r\n|\r|\n/u);
  const starts = lineStarts(text);
  return (place) => {
    const offset = (starts[place.line - 1] ?? 0) + place.column - 1;
    const { line, column } = positions.at(masked.offsetOf(offset));
    const first = Math.max(1, line - CONTEXT_LINES);
    return {
      firstLine: first,
      lines: lines.slice(first - 1, line + CONTEXT_LINES),
      line,
      column,
    };
  };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/gu)].map(({ 0: end, index }) => index + end.length)];
}
