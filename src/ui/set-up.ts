import type { ProviderOffers } from '../engine/set-up/offers.js';
import type { SetUpPlan } from '../engine/set-up/plan.js';
import type { WorkspacePlace } from '../engine/set-up/workspace.js';
import { safeLine, safeProse } from './safe-text.js';
import { shownPath } from './shown-path.js';
import type { Style } from './style.js';

const STATES: Readonly<Record<WorkspacePlace['state'], string>> = {
  empty: 'no memory in it yet',
  memory: 'holds a memory',
  missing: 'to be made',
};

/** A numbered list of the folders that could be the workspace; Enter takes the first. */
export function renderWorkspaces(
  places: readonly WorkspacePlace[],
  { style, homeDir }: { readonly style: Style; readonly homeDir: string },
): string {
  const lines = places.map(({ dir, state, why }, at) => {
    return numbered(at, shownPath(dir, homeDir), `${why} · ${STATES[state]}`, style);
  });
  return section('1 of 5 · workspace', lines, style);
}

/** A numbered list of what can embed, then words alone, then another. */
export function renderOffers({ offers }: ProviderOffers, style: Style): string {
  const found = offers.map(({ provider, sign, model }, at) =>
    numbered(at, safeLine(provider), [model, sign].filter(isText).map(safeLine).join(' · '), style),
  );
  const rest = [
    numbered(offers.length, 'words alone', 'no provider, nothing leaves this machine', style),
    numbered(offers.length + 1, 'another', 'name it, and paste its key', style),
  ];
  return section('2 of 5 · provider', [...found, ...rest], style);
}

/** What will be written: the changes of the configuration, and the files that are made beside it. */
export function renderPlan(
  { file, diff, keyToStore }: SetUpPlan,
  made: readonly string[],
  { style, homeDir }: { readonly style: Style; readonly homeDir: string },
): string {
  const signs = { added: '+', context: ' ', removed: '-' } as const;
  const paints = { added: style.green, context: style.dim, removed: style.red } as const;
  const places = diff.map((lines) =>
    lines.map(({ kind, text }) => paints[kind](`${signs[kind]} ${safeProse(text)}`)).join('\n'),
  );
  const name = shownPath(file, homeDir);
  const text = places.length === 0 ? `${name} stays as it is` : `${name}\n${places.join('\n…\n')}`;
  const files = [...made, ...(keyToStore === undefined ? [] : [keyToStore.file])];
  const also = files.map((path) => `also written: ${shownPath(path, homeDir)}`);
  return section('4 of 5 · svc.json', [text, ...also], style);
}

/** A heading, and lines below it. */
export function section(title: string, lines: readonly string[], style: Style): string {
  return `${['', style.bold(title), ...lines].join('\n')}\n`;
}

function numbered(at: number, name: string, note: string, style: Style): string {
  return `  ${at + 1}  ${name}  ${style.dim(note)}`;
}

function isText(text: string | null): text is string {
  return text !== null;
}
