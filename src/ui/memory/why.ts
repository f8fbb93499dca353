import type { WhyOutput } from '../../engine/memory/index.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

const REASONS: Readonly<Record<WhyOutput['reason'], string>> = {
  excluded: 'it is excluded',
  included: 'it belongs to memory',
  missing: 'there is no such file',
  other_kind: 'not a Markdown file; memorySearch.documents can include its format',
  outside: 'not in MEMORY.md, USER.md, memory/ or memorySearch.extraPaths',
  skipped: 'it cannot be used',
};

/** Whether a file belongs to an agent's memory, and the rule that decided. */
export function renderWhy(
  agent: string,
  why: WhyOutput,
  { style }: { readonly style: Style },
): string {
  const { path, included, indexed, reason, detail, rule } = why;
  const verdict = included ? style.ok('indexed') : style.warning('not indexed');
  const lines = [`${style.bold(safeLine(agent))}  ${safeLine(path)}  ${verdict}`];
  const because = detail === undefined ? REASONS[reason] : `${REASONS[reason]}: ${detail}`;
  lines.push(`  why    ${safeLine(because)}`);
  if (rule !== null) {
    const about = rule.path === path ? '' : `, matches ${rule.path}`;
    lines.push(`  rule   ${safeLine(`${rule.pattern}  (${placeOf(rule)}${about})`)}`);
  }
  if (included !== indexed) lines.push(`  note   the index is not up to date: svc memory index`);
  return `${lines.join('\n')}\n`;
}

function placeOf({ file, line }: NonNullable<WhyOutput['rule']>): string {
  return file === null ? 'memorySearch.exclude' : `${file}:${line ?? 1}`;
}
