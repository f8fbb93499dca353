import type { DiffLine } from '../engine/support/text-diff.js';
import { fitEnd } from './fit.js';
import { safeProse } from './safe-text.js';
import type { Style } from './style.js';

/** The lines of a diff. @param columns cut lines to this width */
export function renderDiff(
  diff: readonly DiffLine[],
  { style, columns }: { readonly style: Style; readonly columns: number | undefined },
): readonly string[] {
  const signs = { added: '+', context: ' ', removed: '-' } as const;
  const paints = { added: style.ok, context: style.dim, removed: style.fault } as const;
  return diff.map(({ kind, text }) => {
    const line = `${signs[kind]} ${safeProse(text)}`;
    return paints[kind](columns === undefined ? line : fitEnd(line, columns));
  });
}
