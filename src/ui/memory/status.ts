import type {
  BackendStatus,
  ExtStatus,
  Staleness,
} from '../../engine/memory/backends/memory-backend.js';
import type { EmbeddingStatus } from '../../engine/memory/embedding-status.js';
import type { Source } from '../../engine/memory/index.js';
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatRelativeTime,
} from '../../engine/support/format.js';
import { wrapBehind } from '../fit.js';
import { safeLine, shownPath } from '../safe-text.js';
import type { Style, View } from '../style.js';
import { alignRows } from '../table.js';
import { embeddingFacts, extFacts, type StatusFact } from './status-facts.js';
import { changedFiles, lastSyncWords, skippedNames } from './words.js';

/** One agent's memory as `svc memory status` shows it. */
export interface AgentStatusView {
  readonly agentId: string;
  readonly status: BackendStatus;
  readonly embedding: EmbeddingStatus;
  /** Whether a test of the provider follows. */
  readonly isTested?: boolean;
  /** Whether every skipped file is named. */
  readonly isVerbose?: boolean;
}

const LABEL_COLUMNS = 13;
const SKIPS_NAMED = 3;

/** The status of each agent's memory, as one block per agent. */
export function renderStatus(agents: readonly AgentStatusView[], options: View): string {
  return agents.map((agent) => renderAgent(agent, options)).join('\n');
}

function renderAgent(agent: AgentStatusView, options: View): string {
  const { ext } = agent.status;
  const facts =
    ext === undefined ? builtinFacts(agent, options) : externalFacts(ext, agent, options);
  const lines = facts.flatMap((fact) => renderFact(fact, options));
  return `${[options.style.bold(safeLine(agent.agentId)), ...lines].join('\n')}\n`;
}

/** The built-in engine is the fallback of an external program, and has an index only once it was needed. */
function externalFacts(
  ext: ExtStatus,
  agent: AgentStatusView,
  options: View,
): readonly StatusFact[] {
  const { status } = agent;
  const [builtinState = 'no index: built when needed'] =
    status.index.state === 'ready'
      ? freshnessFact(status, options.style, 'updated when needed').lines
      : [];
  return [
    { label: 'workspace', lines: [shownPath(status.workspaceDir, options.homeDir)] },
    ...extFacts(ext, options),
    ...watcherFacts(status, options),
    { label: 'fallback', lines: [`built-in engine, ${builtinState}`] },
    ...skippedFacts(agent, options),
    ...faultFacts(status, options),
  ];
}

function builtinFacts(agent: AgentStatusView, options: View): readonly StatusFact[] {
  const { status } = agent;
  const { style } = options;
  return [
    { label: 'workspace', lines: [shownPath(status.workspaceDir, options.homeDir)] },
    ...(status.extraPaths.length === 0
      ? []
      : [{ label: 'extra paths', lines: status.extraPaths.map(safeLine) }]),
    { label: 'sources', lines: sourceLines(status) },
    ...excludedFacts(status),
    ...indexFacts(status, options),
    freshnessFact(status, style),
    { label: 'last sync', lines: [lastSyncWords(status, options.nowMs)] },
    ...watcherFacts(status, options),
    { label: 'tokenizer', lines: [safeLine(status.tokenizer)] },
    { label: 'backend', lines: [status.backend] },
    ...embeddingFacts(agent.embedding, status, options, agent.isTested === true),
    ...mediaFacts(status, agent.embedding, style),
    ...frontMatterFacts(status, options),
    ...skippedFacts(agent, options),
    ...faultFacts(status, options),
  ];
}

function excludedFacts({ excluded }: BackendStatus): readonly StatusFact[] {
  if (excluded === 0) return [];
  const what = `${formatCount(excluded)} ${excluded === 1 ? 'file or folder' : 'files and folders'}`;
  return [{ label: 'excluded', lines: [`${what}; --why PATH shows the pattern`] }];
}

/** Notes whose properties filters do not know. */
function frontMatterFacts({ frontMatter }: BackendStatus, { style }: View): readonly StatusFact[] {
  if (frontMatter.length === 0) return [];
  const named = frontMatter.slice(0, SKIPS_NAMED).map(({ path, why }) => `${path} (${why})`);
  const more = frontMatter.length > SKIPS_NAMED ? ', …' : '';
  const lines = [safeLine(`not valid: ${named.join(', ')}${more}`)];
  return [{ label: 'front matter', lines, prose: true, paint: style.warning }];
}

function skippedFacts(agent: AgentStatusView, { style }: View): readonly StatusFact[] {
  const { skipped } = agent.status;
  if (skipped.length === 0) return [];
  const lines =
    agent.isVerbose === true
      ? skipped.map((skip) => skippedNames([skip], 1))
      : [skippedNames(skipped, SKIPS_NAMED)];
  return [{ label: 'skipped', lines, prose: true, paint: style.warning }];
}

function faultFacts({ faults }: BackendStatus, { style }: View): readonly StatusFact[] {
  return faults.map((fault) => ({
    label: 'fault',
    lines: [fault.message, ...(fault.hint === undefined ? [] : [`→ ${fault.hint}`])].map(safeLine),
    prose: true,
    paint: style.fault,
  }));
}

function renderFact(fact: StatusFact, { style, columns }: View): readonly string[] {
  const paint = fact.paint ?? style.plain;
  return fact.lines.flatMap((line, at) => {
    const label = `  ${style.dim((at === 0 ? fact.label : '').padEnd(LABEL_COLUMNS))}`;
    return wrapBehind(label, line, fact.prose === true ? columns : undefined, paint);
  });
}

/** One line per source, including empty ones. */
function sourceLines({ sources, index }: BackendStatus): readonly string[] {
  if (index.state === 'unusable' || index.state === 'newer') return [sources.join(', ')];
  const counted = index.state === 'ready' ? index.statistics.bySource : [];
  const names: readonly Source[] = [
    ...sources,
    ...counted.map((row) => row.source).filter((source) => !sources.includes(source)),
  ];
  const rows = names.map((name) => {
    const row = counted.find((candidate) => candidate.source === name);
    const files = formatCountOf(row?.documents ?? 0, 'file');
    const broken = row?.brokenLines ?? 0;
    const unread = broken === 0 ? '' : `${formatCountOf(broken, 'line')} unreadable`;
    return [name, files, formatCountOf(row?.chunks ?? 0, 'chunk'), unread];
  });
  return alignRows(rows, ['left', 'right', 'right', 'left']);
}

/** Where the index is; of a shared one, also the hosts that index into it. */
function indexFacts(
  { index, indexFile, shared }: BackendStatus,
  { nowMs, homeDir }: View,
): readonly StatusFact[] {
  const size = index.state === 'ready' ? `  ${formatBytes(index.statistics.bytes)}` : '';
  if (shared === undefined) {
    return [{ label: 'index', lines: [`${shownPath(indexFile, homeDir)}${size}`] }];
  }
  const { server, origin, origins = [] } = shared;
  const rows = origins.map(({ name, documents, chunks, seenMsAgo }) => [
    name === origin ? `${safeLine(name)} (this host)` : safeLine(name),
    formatCountOf(documents, 'file'),
    formatCountOf(chunks, 'chunk'),
    formatRelativeTime(nowMs - seenMsAgo, nowMs),
  ]);
  return [
    { label: 'index', lines: [`shared on ${safeLine(server)} as ${safeLine(origin)}${size}`] },
    ...(rows.length === 0
      ? []
      : [{ label: 'hosts', lines: alignRows(rows, ['left', 'right', 'right', 'left']) }]),
  ];
}

/** Empty if no process keeps the index up to date. */
function watcherFacts({ watcher }: BackendStatus, { style, nowMs }: View): readonly StatusFact[] {
  if (watcher === null) return [];
  const since = formatRelativeTime(Date.parse(watcher.since), nowMs);
  const who = `process ${watcher.pid}, started ${since}`;
  if (watcher.mode !== 'polling') {
    const how = watcher.mode === 'watching' ? 'watches files' : 'syncs at intervals only';
    return [{ label: 'watched', lines: [`${how}: ${who}`] }];
  }
  const why = safeLine(watcher.why ?? '');
  return [
    { label: 'watched', lines: [`by polling: ${who}`, why], prose: true, paint: style.warning },
  ];
}

function freshnessFact(
  { index, shared, staleness }: BackendStatus,
  style: Style,
  update = '"svc memory index" updates it',
): StatusFact {
  const fact = (line: string, paint = style.warning): StatusFact => ({
    label: 'freshness',
    lines: [line],
    prose: true,
    paint,
  });
  if (index.state === 'missing') return fact('no index yet: the first search builds it');
  if (index.state === 'unusable' && shared !== undefined) {
    return fact('unknown: the server cannot be used');
  }
  if (index.state === 'unusable') {
    return fact(`unusable, the next sync rebuilds it: ${safeLine(index.why)}`);
  }
  if (index.state === 'newer') {
    const force = '"svc memory index --force" rebuilds it for this version';
    return fact(`unusable, ${safeLine(index.why)}; upgrade svc, or ${force}`);
  }
  if (index.rebuildBecause !== undefined) {
    return fact(`the next sync rebuilds it: ${safeLine(index.rebuildBecause)}`);
  }
  if (staleness === undefined) return fact('unknown: the workspace cannot be read');
  const changes = changeWords(staleness);
  return changes === undefined
    ? fact('up to date', style.ok)
    : fact(`stale: ${changes}; ${update}`);
}

function changeWords(staleness: Staleness): string | undefined {
  const counts = (['added', 'changed', 'removed'] as const)
    .filter((kind) => staleness[kind] > 0)
    .map((kind) => `${formatCount(staleness[kind])} ${kind}`);
  if (counts.length === 0) return undefined;
  const named = staleness.examples.map(safeLine).join(', ');
  const more = changedFiles(staleness) > staleness.examples.length ? ', …' : '';
  return `${counts.join(', ')}${named === '' ? '' : ` (${named}${more})`}`;
}

const REFUSED_NAMED = 3;

/** The number of images and recordings, and why some are only found by file name. */
function mediaFacts(
  { index }: BackendStatus,
  { media }: EmbeddingStatus,
  style: Style,
): readonly StatusFact[] {
  if (media === null) return [];
  const { images, audio } =
    index.state === 'ready' ? index.statistics.media : { images: 0, audio: 0 };
  const counts = `${formatCountOf(images, 'image')}, ${formatCountOf(audio, 'recording')}`;
  const { unavailable, refused } = media;
  if (unavailable !== null) {
    const why = `only found by file name: ${unavailable.why}`;
    const lines = [counts, why, `→ ${unavailable.hint}`].map(safeLine);
    return [{ label: 'media', lines, prose: true, paint: style.warning }];
  }
  if (refused.length === 0) return [{ label: 'media', lines: [counts] }];
  const named = refused.slice(0, REFUSED_NAMED).map(({ path, why }) => `${path} (${why})`);
  const rest = refused.length - named.length;
  const names = [...named, ...(rest > 0 ? [`${formatCount(rest)} more`] : [])].join(', ');
  const lines = [counts, `refused by the provider: ${names}`].map(safeLine);
  return [{ label: 'media', lines, prose: true, paint: style.warning }];
}
