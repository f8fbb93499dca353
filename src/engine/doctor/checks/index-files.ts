import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { SvcError } from '../../errors/index.js';
import type { BackendStatus } from '../../memory/backends/memory-backend.js';
import { type IndexHeader, indexHeader } from '../../memory/index/index.js';
import { type OpenedMemory, openMemory } from '../../memory/index.js';
import { createLinkMap } from '../../memory/inspect/link-map.js';
import { integrityComplaint, MOST_CHECKED_BYTES } from '../../sqlite/database.js';
import { closing } from '../../support/async.js';
import { documentFormatOf } from '../../support/document-format.js';
import { formatCountOf } from '../../support/format.js';
import { uniqueBy } from '../../support/lists.js';
import { shortList } from '../../support/text.js';
import { changeLines } from '../../support/text-diff.js';
import {
  type CheckReport,
  type ConfiguredWorld,
  configuredCheck,
  type Finding,
  type FindingPlace,
  type Fix,
  faultOf,
  finding,
} from '../check.js';
import { skipFindings } from './workspace.js';

interface Subject {
  readonly world: ConfiguredWorld;
  readonly memory: OpenedMemory;
  readonly status: BackendStatus;
  readonly agentId: string;
  readonly place: FindingPlace;
}

/** Whether each agent's index exists, is intact, has the current version and is up to date. */
export const index = configuredCheck('index', async (world) => {
  const memories = await world.memories();
  const reports = await Promise.all(memories.map((memory) => checkIndex(world, memory)));
  const off = world.agents.filter((agent) => !agent.memorySearch.enabled);
  const findings = [
    ...reports.flatMap((report) => report.findings),
    ...off.map(({ id }) =>
      finding('memory-disabled', 'note', { message: `memory search is off for agent ${id}` }),
    ),
  ];
  return {
    summary: reports.map((report) => report.summary).join(', '),
    findings,
    off: reports.every((report) => report.off === true),
  };
});

async function checkIndex(world: ConfiguredWorld, memory: OpenedMemory): Promise<CheckReport> {
  const agentId = memory.agent.id;
  const indexFile = memory.agent.memorySearch.store.path;
  const isShared = memory.home.others !== undefined;
  const place = (isShared
    ? world.placeOf(['storage', 'url'])
    : world.placeOfAgent(agentId, ['memorySearch', 'store', 'path'])) ?? { file: indexFile };
  if (!isShared && lstatSync(indexFile, { throwIfNoEntry: false })?.isFile() === false) {
    const noFile = unusable(
      'index-no-file',
      { agentId, place },
      {
        cause: `${indexFile} is not a file`,
        hint: 'move it away, or set another memorySearch.store.path',
      },
    );
    return { summary: `${memory.name}: unusable`, findings: [noFile] };
  }
  const status = await memory.backend.status();
  const subject: Subject = { world, memory, status, agentId, place };
  const { index } = status;
  const findings = [
    ...indexFindings(subject),
    await forgetListFinding(subject),
    frontMatterFinding(subject),
    ...skipFindings(damagedDocuments(subject), status.workspaceDir),
    index.state === 'ready' ? await brokenLinks(memory) : undefined,
  ];
  if (status.shared !== undefined && index.state === 'unusable') {
    // The check of the storage reports why.
    return { summary: `${memory.name}: not checked`, findings, off: true };
  }
  const count =
    index.state === 'ready' ? formatCountOf(index.statistics.documents, 'file') : index.state;
  return { summary: `${memory.name}: ${count}`, findings };
}

/** Without a valid list, nothing is indexed. The list of a shared memory is on the server. */
async function forgetListFinding({ memory }: Subject): Promise<Finding | undefined> {
  if (memory.home.others !== undefined) return undefined;
  try {
    await memory.home.readForgetList();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'FORGET_LIST_INVALID') throw error;
    const cause = 'nothing is indexed without it';
    return faultOf('forget-list-invalid', error, {
      cause,
      place: { file: memory.forget.listFile },
    });
  }
}

/** Documents whose content is not what their names promise, which only the sync finds. */
function damagedDocuments({ memory, status }: Subject): BackendStatus['skipped'] {
  const { documents } = memory.agent.memorySearch;
  return status.skipped.filter(({ path, reason }) => {
    const format = documentFormatOf(path);
    return reason === 'wrong_format' && format !== undefined && documents.includes(format);
  });
}

const MOST_NAMED = 3;

/** Notes whose front matter is not valid, so that filters ignore them. */
function frontMatterFinding({ status, agentId }: Subject): Finding | undefined {
  const { frontMatter, workspaceDir } = status;
  const [first] = frontMatter;
  if (first === undefined) return undefined;
  const notes = frontMatter.map(({ path, why }) => `${path} (${why})`);
  return finding('front-matter-invalid', 'warning', {
    message: `the front matter of notes of agent ${agentId} cannot be read: ${shortList(notes, MOST_NAMED)}`,
    cause: 'filters such as --where and --tag do not know its properties',
    place: { file: resolve(workspaceDir, first.path), line: 1, column: 1 },
    hint: 'correct the YAML between the --- lines',
  });
}

/** The broken links between indexed notes, as one note. Reads the index as it is. */
async function brokenLinks({ home, agent }: OpenedMemory): Promise<Finding | undefined> {
  const opened = await home.open();
  if (opened.state !== 'ready') return undefined;
  using index = closing(opened.index);
  const linking = await index.links();
  if (linking.length === 0) return undefined;
  const broken = createLinkMap(await index.documents(), linking).broken();
  const [first] = broken;
  if (first === undefined) return undefined;
  const targets = uniqueBy(broken, ({ target }) => target);
  const links = targets.map(({ from, line, target }) => `${from}#L${line} (${target})`);
  return finding('links-broken', 'note', {
    message: `broken links to ${formatCountOf(targets.length, 'target')} in the notes of agent ${agent.id}: ${shortList(links, MOST_NAMED)}`,
    cause: 'they lead to no indexed file, or to a name that several files have',
    place: { file: resolve(agent.workspaceDir, first.from), line: first.line, column: 1 },
    hint: `run "svc memory links --broken --agent ${agent.id}"`,
  });
}

function indexFindings(subject: Subject): CheckReport['findings'] {
  const { agentId, place, memory, status } = subject;
  const { index, indexFile, shared } = status;
  switch (index.state) {
    case 'missing':
      // With an external program it is built when it is needed.
      return [memory.ext === undefined ? missing(subject) : undefined];
    case 'unusable': {
      // The server has a check of its own.
      if (shared !== undefined) return [];
      const { code, hint } = UNUSABLE[indexHeader(indexFile)];
      const fix = indexFix(subject, { now: index.why });
      return [unusable(code, subject, { cause: index.why, hint, fix })];
    }
    case 'newer': {
      const hint = `use the newer svc, or rebuild the index with this one: "svc memory index --force --agent ${agentId}"`;
      const fix = indexFix(subject, { safe: false, now: index.why, force: true });
      return [unusable('index-newer', subject, { cause: index.why, hint, fix })];
    }
    case 'ready': {
      const why = index.rebuildBecause;
      if (why === undefined) {
        return [
          shared === undefined ? damage(subject, index.statistics.bytes) : undefined,
          memory.ext === undefined ? stale(subject) : undefined,
        ];
      }
      const message = `the index of agent ${agentId} is out of date`;
      const hint = '"svc memory index" rebuilds it';
      const fix = indexFix(subject, { now: why });
      return [finding('index-outdated', 'warning', { message, cause: why, place, hint, fix })];
    }
  }
}

function missing(subject: Subject): Finding {
  const { agentId, status, place } = subject;
  // Without staleness the workspace cannot be read, which its own check reports.
  const canIndex = status.staleness !== undefined;
  return finding('index-missing', canIndex ? 'warning' : 'note', {
    message: `agent ${agentId} has no index yet`,
    cause: 'the first search builds it and takes longer',
    place,
    hint: `run "svc memory index --agent ${agentId}"`,
    fix: canIndex
      ? indexFix(subject, { action: 'index the memory', now: 'does not exist' })
      : undefined,
  });
}

function unusable(
  code: string,
  { agentId, place }: Pick<Subject, 'agentId' | 'place'>,
  rest: Pick<Finding, 'cause' | 'fix' | 'hint'>,
): Finding {
  const message = `the index of agent ${agentId} cannot be used`;
  return finding(code, 'fault', { message, place, ...rest });
}

const UNUSABLE: Readonly<Record<IndexHeader, { readonly code: string; readonly hint: string }>> = {
  current: { code: 'index-damaged', hint: '"svc memory index" rebuilds it' },
  empty: { code: 'index-damaged', hint: '"svc memory index" rebuilds it' },
  foreign: {
    code: 'index-foreign',
    hint: 'the next sync renames the file to end in ".replaced" and builds an index',
  },
  other: { code: 'index-older', hint: '"svc memory index" rebuilds it' },
};

function damage(subject: Subject, bytes: number): Finding | undefined {
  const { agentId, status, place } = subject;
  if (bytes > MOST_CHECKED_BYTES) {
    const message = `the index of agent ${agentId} is too large to check for damage`;
    return finding('index-unchecked', 'note', { message, place });
  }
  const complaint = integrityComplaint(status.indexFile);
  if (complaint === undefined) return undefined;
  return finding('index-damaged', 'fault', {
    message: `the index of agent ${agentId} is damaged`,
    cause: complaint,
    place,
    hint: `run "svc memory index --force --agent ${agentId}"`,
    fix: indexFix(subject, { now: 'is damaged', force: true }),
  });
}

function stale(subject: Subject): Finding | undefined {
  const { memory, agentId, status, place } = subject;
  const { added = 0, changed = 0, removed = 0 } = status.staleness ?? {};
  const changes = added + changed + removed;
  if (changes === 0) return undefined;
  const bySearch = memory.agent.memorySearch.sync.onSearch;
  const missingFiles = formatCountOf(changes, 'changed file');
  return finding('index-stale', bySearch ? 'note' : 'warning', {
    message: `the index of agent ${agentId} is missing ${missingFiles}`,
    cause: bySearch
      ? 'the next search indexes them'
      : 'sync.onSearch is off, so searches do not index them',
    place,
    hint: `run "svc memory index --agent ${agentId}"`,
    fix: bySearch
      ? undefined
      : indexFix(subject, { action: 'update the index', now: `is missing ${missingFiles}` }),
  });
}

interface IndexFixOptions {
  readonly action?: string;
  readonly safe?: boolean;
  /** What is wrong with it, in a few words. */
  readonly now: string;
  /** Rebuild it although it opens. */
  readonly force?: boolean;
}

/** Updates or rebuilds an index, without embedding: that costs money or time that nobody agreed to. */
function indexFix(
  { world: { context, configFile }, agentId, status: { indexFile, shared } }: Subject,
  { action = 'rebuild the index', safe = true, now, force = false }: IndexFixOptions,
): Fix {
  const name = shared === undefined ? indexFile : `${shared.origin} on ${shared.server}`;
  return {
    title: `${action} of agent ${agentId}`,
    safe,
    diff: changeLines([`${name}  ${now}`], [`${name}  up to date`]),
    changes: 'state',
    apply: async (signal) => {
      const memory = await openMemory(context, { kind: 'agent', agentId }, { configFile });
      try {
        await memory.backend.sync({ force, embeds: false, signal });
      } finally {
        await memory.backend.close();
      }
    },
  };
}
