import type { ListedProvider } from '../../engine/embeddings/index.js';
import type { LoginEvent } from '../../engine/providers/github-copilot/device-flow.js';
import type { LoginOutput, LogoutOutput } from '../../engine/providers/output-schemas.js';
import { formatCount } from '../../engine/support/format.js';
import { fitEnd, wrapBehind } from '../fit.js';
import { modelWords } from '../memory/words.js';
import { safeLine } from '../safe-text.js';
import { createStyle, type Style, type View } from '../style.js';
import { renderTable, type TableColumn } from '../table.js';

export type ProviderListOptions = Pick<View, 'columns' | 'style'>;

interface Column extends TableColumn {
  readonly cell: (listed: ListedProvider, style: Style) => string;
  /** Width on a terminal that is too narrow for all columns. */
  readonly narrowColumns?: number;
  /** Hidden on terminals narrower than this. */
  readonly hiddenBelow?: number;
}

const COLUMNS: readonly Column[] = [
  { title: ' ', cell: ({ role }, style) => markOf(role, style) },
  {
    title: 'provider',
    narrowColumns: 16,
    cell: ({ provider, role }, style) =>
      role === 'primary' ? style.bold(safeLine(provider)) : safeLine(provider),
  },
  {
    title: 'key',
    narrowColumns: 23,
    cell: ({ credential }) => safeLine(credentialWords(credential)),
  },
  {
    title: 'model',
    narrowColumns: 22,
    hiddenBelow: 70,
    cell: ({ model }) => safeLine(modelWords(model)),
  },
  {
    title: 'dims',
    align: 'right',
    hiddenBelow: 80,
    cell: ({ dimensions }) => (dimensions === null ? '–' : formatCount(dimensions)),
  },
  { title: 'cost', hiddenBelow: 100, cell: ({ cost }) => COSTS[cost] },
  { title: 'batch', hiddenBelow: 108, cell: ({ batch }) => (batch ? 'yes' : 'no') },
  {
    title: 'auto',
    align: 'right',
    cell: ({ autoPlace }) => (autoPlace === null ? 'never' : String(autoPlace)),
  },
];

/** Below this width, kinds would leave no room for the reasons. */
const NARROW = 70;
/** From this width on, columns fit uncut (unless a key is in a file with a long name). */
const WIDE = 124;

/** The table of providers, then why each is or is not used. Narrow terminals hide some columns. */
export function renderProviderList(
  providers: readonly ListedProvider[],
  options: ProviderListOptions,
): string {
  const { style, columns } = options;
  const width = columns ?? Number.POSITIVE_INFINITY;
  const visible = COLUMNS.filter(({ hiddenBelow = 0 }) => width >= hiddenBelow);
  const rows = providers.map((listed) =>
    visible.map(({ cell, narrowColumns }) => {
      const plain = cell(listed, PLAIN);
      if (width >= WIDE || narrowColumns === undefined) return cell(listed, style);
      const cut = fitEnd(plain, narrowColumns);
      return cut === plain ? cell(listed, style) : cut;
    }),
  );
  const none = providers.every(({ role }) => role === null) ? `${NONE_USED}\n\n` : '';
  return `${none}${renderTable(visible, rows, { style })}\n${reasonLines(providers, options).join('\n')}\n`;
}

const NONE_USED = 'No provider is in use: keyword search only.';

const PLAIN = createStyle(false);

function markOf(role: ListedProvider['role'], style: Style): string {
  if (role === null) return ' ';
  return role === 'primary' ? style.ok('●') : style.warning('○');
}

function reasonLines(
  providers: readonly ListedProvider[],
  { style, columns }: ProviderListOptions,
): readonly string[] {
  const isNarrow = columns !== undefined && columns < NARROW;
  const names = providers.map((listed) => (isNarrow ? safeLine(listed.provider) : nameOf(listed)));
  const labelColumns = Math.max(...names.map((name) => name.length)) + 2;
  return providers.flatMap((listed, at) => {
    const label = (names[at] ?? '').padEnd(labelColumns);
    return wrapBehind(`  ${style.dim(label)}`, reasonOf(listed), columns);
  });
}

/** The id with the adapter's kind, or with the adapter for a custom id. */
function nameOf({ provider, adapter, kind }: ListedProvider): string {
  const other = provider === adapter ? kind : adapter;
  return other === null ? safeLine(provider) : `${safeLine(provider)} (${other})`;
}

function reasonOf({ role, why, endpoint, provider, adapter }: ListedProvider): string {
  const address = provider === adapter || endpoint === null ? '' : ` · ${safeLine(endpoint)}`;
  const words = safeLine(why) + address;
  if (role === null) return words;
  return `${role === 'primary' ? 'used' : 'fallback'}: ${words}`;
}

const COSTS: Readonly<Record<ListedProvider['cost'], string>> = {
  free: 'free',
  per_token: 'per token',
  self_hosted: 'self-hosted',
  subscription: 'subscription',
  unknown: 'custom',
};

/** For example, `env OPENAI_API_KEY, set`. */
function credentialWords({ state, source, set }: ListedProvider['credential']): string {
  if (state === 'not_needed') return source === null ? 'not needed' : `${source}, withheld`;
  if (source === null) return '–';
  if (set === null) return source;
  return `${source}, ${set ? 'set' : 'not set'}`;
}

export function renderLoginEvent(event: LoginEvent): string {
  switch (event.type) {
    case 'code.issued': {
      const minutes = Math.max(1, Math.round(event.lifetimeMs / 60_000));
      return `open ${safeLine(event.verificationUri)} and enter the code ${safeLine(event.userCode)}
waiting up to ${minutes} min; press Ctrl-C to stop\n`;
    }
    case 'poll.failed':
      return `still waiting: ${safeLine(event.why)}\n`;
  }
}

export function renderLogin({ provider, account, file }: LoginOutput): string {
  const who = account === undefined ? '' : ` as ${safeLine(account)}`;
  return `signed in to ${provider}${who}; login saved to ${safeLine(file)}\n`;
}

export function renderLogout({ provider, file, outcome }: LogoutOutput): string {
  return {
    deleted: `deleted ${safeLine(file)}; to revoke the token as well, see Applications in your GitHub settings\n`,
    kept: `kept ${safeLine(file)}\n`,
    none: `not signed in to ${provider}\n`,
  }[outcome];
}
