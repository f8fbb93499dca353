import type { BackendStatus, ExtStatus } from '../../engine/memory/backends/memory-backend.js';
import type { EmbeddingStatus, ProviderStatus } from '../../engine/memory/embedding-status.js';
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatRelativeTime,
} from '../../engine/support/format.js';
import { safeLine, shownPath } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';
import { alignRows } from '../table.js';
import { modelWords } from './words.js';

/** One fact of a status. */
export interface StatusFact {
  readonly label: string;
  readonly lines: readonly string[];
  /** Explanations may be wrapped; paths and numbers may not. */
  readonly prose?: boolean;
  readonly paint?: Paint;
}

/** The provider, its fallback, and how much of the index has vectors. */
export function embeddingFacts(
  embedding: EmbeddingStatus,
  status: BackendStatus,
  { style, nowMs }: View,
  isTested: boolean,
): readonly StatusFact[] {
  const { primary, fallback, fallbackDone } = embedding;
  if (primary === undefined) {
    const why =
      embedding.missing === 'switched_off'
        ? 'none, as configured: keyword search only'
        : 'none: keyword search only; "svc provider list" shows what each provider needs';
    return [{ label: 'provider', lines: [why], prose: true }];
  }
  const others =
    fallbackDone > 0 ? `; ${formatCountOf(fallbackDone, 'passage')} with its vectors` : '';
  return [
    {
      label: 'provider',
      lines: [providerLine(primary), reasonLine(primary, isTested), ...missingKey(primary)],
      prose: true,
    },
    ...(fallback === undefined
      ? []
      : [{ label: 'fallback', lines: [`${providerLine(fallback)}${others}`], prose: true }]),
    vectorsFact(embedding, status, style),
    ...batchFacts(embedding, nowMs),
  ];
}

/** The provider in a table cell. */
export function providerWords({ primary, mode }: EmbeddingStatus): string {
  if (primary === undefined) return 'keyword only';
  const words = safeLine(primary.provider);
  return mode === 'lexical' ? `${words}, no vectors yet` : words;
}

function providerLine({ provider, adapter, model }: ProviderStatus): string {
  const name = provider === adapter ? provider : `${provider} (${adapter})`;
  return safeLine(model === null ? name : `${name} · ${modelWords(model)}`);
}

function reasonLine({ reason }: ProviderStatus, isTested: boolean): string {
  const why =
    reason.kind === 'setting' ? `by memorySearch.${reason.key}` : `auto-detected by ${reason.sign}`;
  return safeLine(`${why}${isTested ? '' : '; only --deep tests it'}`);
}

/** Whether the key is missing, which needs no request to find out. */
function missingKey({ credential: { state, source, set, hint } }: ProviderStatus): string[] {
  if (state === 'missing') return [safeLine(`no key: ${hint ?? ''}`)];
  return set === false ? [safeLine(`no key: ${source ?? ''} is not set`)] : [];
}

function batchFacts(
  { batchJobs: [oldest, ...others], otherJobs }: EmbeddingStatus,
  nowMs: number,
): readonly StatusFact[] {
  const lines: string[] = [];
  if (oldest !== undefined) {
    const jobs = formatCountOf(others.length + 1, 'job');
    const since = formatRelativeTime(Date.parse(oldest), nowMs);
    const which = others.length === 0 ? 'sent' : 'the first sent';
    lines.push(`${jobs}, ${which} ${since}: "svc memory index" collects what is ready`);
  }
  if (otherJobs > 0) {
    const jobs = formatCountOf(otherJobs, 'job');
    lines.push(`${jobs} of another provider or model, collected only once it is configured again`);
  }
  return lines.length === 0 ? [] : [{ label: 'batch', lines, prose: true }];
}

function vectorsFact(
  { coverage, isBeingEmbedded }: EmbeddingStatus,
  { index }: BackendStatus,
  style: Style,
): StatusFact {
  const { state, done, all, dimensions, refused, cached, differences } = coverage;
  const notes = [
    refused === 0 ? '' : ` · ${formatCount(refused)} refused by the provider`,
    cached === 0 ? '' : ` · ${formatCount(cached)} cached`,
  ].join('');
  const fact = (paint: Paint, ...lines: readonly string[]): StatusFact => ({
    label: 'vectors',
    lines: lines.map(safeLine),
    prose: true,
    paint,
  });
  if (index.state === 'missing') return fact(style.warning, 'none: no index yet');
  if (index.state !== 'ready') return fact(style.warning, 'none: no usable index');
  const passages = formatCountOf(all, 'passage');
  const size = dimensions === null ? '' : ` · ${formatCount(dimensions)} dimensions`;
  const embedded = `${formatCount(done)} of ${passages}${size}${notes}`;
  const embeds = (count: number): string =>
    isBeingEmbedded
      ? 'being embedded now'
      : `"svc memory index" embeds ${count === 1 ? 'it' : 'them'}`;
  switch (state) {
    case 'whole':
      return fact(style.ok, refused === 0 ? `all of ${passages}${size}${notes}` : embedded);
    case 'partial': {
      const left = all - done - refused;
      return fact(style.warning, embedded, `${formatCount(left)} pending: ${embeds(left)}`);
    }
    case 'other': {
      const why = `from other settings: ${passages} pending, ${embeds(all)}`;
      return fact(style.warning, why, ...differences);
    }
    case 'empty': {
      const none = `none yet: ${passages} pending, ${embeds(all)}${notes}`;
      return all === 0 ? fact(style.dim, 'none: no passages') : fact(style.warning, none);
    }
  }
}

/** The external search program of an agent, and which backend is in use. */
export function extFacts(ext: ExtStatus, { style, nowMs, homeDir }: View): readonly StatusFact[] {
  const release = ext.release === null ? 'release not known yet' : `release ${ext.release}`;
  const program = ext.program === null ? 'not found' : shownPath(ext.program, homeDir);
  const rows = ext.collections.map(({ name, root, pattern, known }) => [
    safeLine(name),
    shownPath(root, homeDir),
    safeLine(pattern),
    known ? '' : 'not indexed yet',
  ]);
  return [
    ext.why === null
      ? { label: 'backend', lines: ['external'], paint: style.ok }
      : {
          label: 'backend',
          lines: [
            `builtin, instead of the external program: ${ext.why.message}`,
            `→ ${ext.why.hint}`,
          ].map(safeLine),
          prose: true,
          paint: style.warning,
        },
    { label: 'program', lines: [`${safeLine(program)}, ${safeLine(release)}`] },
    { label: 'mode', lines: [`${ext.mode}${vectorWords(ext)}`] },
    { label: 'collections', lines: alignRows(rows) },
    updatedFact(ext, nowMs, style),
  ];
}

function vectorWords({ vectors, withoutVectors }: ExtStatus): string {
  return {
    off: ', keyword search only',
    ready: ', all documents have vectors',
    missing: `, ${formatCountOf(withoutVectors ?? 0, 'document')} without vectors`,
    unknown: ', no vectors yet',
  }[vectors];
}

function updatedFact({ updated: last }: ExtStatus, nowMs: number, style: Style): StatusFact {
  if (last === null) {
    const lines = ['never: run "svc memory index", or search'];
    return { label: 'updated', lines, prose: true, paint: style.warning };
  }
  const when = formatRelativeTime(Date.parse(last.at), nowMs);
  const what = `${formatCountOf(last.files, 'file')}, in ${formatDuration(last.tookMs)}`;
  const words = `${when}, ${what}`;
  return last.stale
    ? { label: 'updated', lines: [`${words}; files changed since`], paint: style.warning }
    : { label: 'updated', lines: [words], paint: style.ok };
}
