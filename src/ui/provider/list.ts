import type { ListedProvider } from '../../engine/embeddings/list-providers.js';
import { fitEnd } from '../fit.js';
import { formatCount } from '../format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { renderTable, type TableColumn } from '../table.js';
import { LIGHT_MEASURE, wrapSpans } from '../wrap.js';
import { costWords, credentialWords, modelWords } from './words.js';

/** How providers are listed. */
export interface ProviderListOptions {
  readonly style: Style;
  /** Width of the terminal; undefined (a pipe) leaves everything whole. */
  readonly columns: number | undefined;
}

interface Column extends TableColumn {
  readonly cell: (listed: ListedProvider, style: Style) => string;
  /** Cut to this many columns on a terminal that is too narrow for all. */
  readonly narrow?: number;
  /** Left out on terminals narrower than this. */
  readonly from?: number;
}

const COLUMNS: readonly Column[] = [
  { title: ' ', cell: ({ role }, style) => markOf(role, style) },
  {
    title: 'provider',
    narrow: 16,
    cell: ({ provider, role }, style) =>
      role === 'primary' ? style.bold(safeLine(provider)) : safeLine(provider),
  },
  { title: 'key', narrow: 23, cell: ({ credential }) => safeLine(credentialWords(credential)) },
  { title: 'model', narrow: 22, from: 70, cell: ({ model }) => safeLine(modelWords(model)) },
  {
    title: 'dims',
    align: 'right',
    from: 80,
    cell: ({ dimensions }) => (dimensions === null ? '–' : formatCount(dimensions)),
  },
  { title: 'cost', from: 100, cell: ({ cost }) => costWords(cost) },
  { title: 'batch', from: 108, cell: ({ batch }) => (batch ? 'yes' : 'no') },
  {
    title: 'auto',
    align: 'right',
    cell: ({ autoPlace }) => (autoPlace === null ? 'never' : String(autoPlace)),
  },
];

/** Below this the kinds would leave no room for the reasons. */
const NARROW = 70;
/** From this width on all columns fit as they are, but for keys in files with long names. */
const WIDE = 124;

/**
 * The answer of `svc provider list`: a line each, then why each is used or not. On a narrow terminal
 * the less needed columns are left out; a pipe gets all.
 */
export function renderProviderList(
  providers: readonly ListedProvider[],
  options: ProviderListOptions,
): string {
  const { style, columns } = options;
  const width = columns ?? Number.POSITIVE_INFINITY;
  const shown = COLUMNS.filter(({ from }) => from === undefined || width >= from);
  const rows = providers.map((listed) =>
    shown.map(({ cell, narrow }) => {
      const plain = cell(listed, PLAIN);
      if (width >= WIDE || narrow === undefined) return cell(listed, style);
      const cut = fitEnd(plain, narrow);
      return cut === plain ? cell(listed, style) : cut;
    }),
  );
  const none = providers.every(({ role }) => role === null) ? `${NONE_USED}\n\n` : '';
  return `${none}${renderTable(shown, rows, style)}\n${reasonLines(providers, options).join('\n')}\n`;
}

const NONE_USED = 'No provider is used: memory is searched by words alone.';

const PLAIN: Style = {
  bold: asIs,
  dim: asIs,
  underline: asIs,
  inverse: asIs,
  red: asIs,
  green: asIs,
  yellow: asIs,
  cyan: asIs,
};

function asIs(text: string): string {
  return text;
}

function markOf(role: ListedProvider['role'], style: Style): string {
  if (role === null) return ' ';
  return role === 'primary' ? style.green('●') : style.yellow('○');
}

function reasonLines(
  providers: readonly ListedProvider[],
  { style, columns }: ProviderListOptions,
): readonly string[] {
  const isNarrow = columns !== undefined && columns < NARROW;
  const names = providers.map((listed) => (isNarrow ? safeLine(listed.provider) : nameOf(listed)));
  const labelColumns = Math.max(...names.map((name) => name.length)) + 2;
  const indent = ' '.repeat(2 + labelColumns);
  return providers.flatMap((listed, at) => {
    const text = reasonOf(listed);
    const room = columns === undefined ? Number.POSITIVE_INFINITY : columns - indent.length;
    const spans = wrapSpans(text, room, LIGHT_MEASURE);
    return spans.map((span, row) => {
      const words = text.slice(span.start, span.end).trimEnd();
      const label = (names[at] ?? '').padEnd(labelColumns);
      return row === 0 ? `  ${style.dim(label)}${words}` : `${indent}${words}`;
    });
  });
}

/** The id with the adapter's kind, or with the adapter where the id is one of the person's own. */
function nameOf({ provider, adapter, kind }: ListedProvider): string {
  const other = provider === adapter ? kind : adapter;
  return other === null ? safeLine(provider) : `${safeLine(provider)} (${other})`;
}

function reasonOf({ role, why, endpoint, provider, adapter }: ListedProvider): string {
  const place = provider === adapter || endpoint === null ? '' : ` · ${safeLine(endpoint)}`;
  const words = safeLine(why) + place;
  if (role === null) return words;
  return `${role === 'primary' ? 'used' : 'stands in when that fails'}: ${words}`;
}
