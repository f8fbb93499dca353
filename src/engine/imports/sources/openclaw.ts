import { dirname, join } from 'node:path';
import JSON5 from 'json5';
import { type ConfigPath, isSecretPath } from '../../config/index.js';
import { messageOf } from '../../errors/index.js';
import { adapterOf } from '../../providers/registry.js';
import type { EngineContext } from '../../support/context.js';
import { resolvePath } from '../../support/paths.js';
import { isRecord } from '../../support/text.js';
import {
  type ImportedData,
  type ImportedSetting,
  invalidSource,
  isFolder,
  type LeftOutItem,
  readSource,
} from '../imported.js';

type Data = Readonly<Record<string, unknown>>;

const SEARCH: ConfigPath = ['agents', 'defaults', 'memorySearch'];
/** No setting is deeper. */
const MAX_DEPTH = 24;

/** Files of OpenClaw itself, which svc would write to. */
const OWN_FILES: ReadonlySet<string> = new Set(['store.path', 'local.modelCacheDir']);
const NOT_OUR_FILE = 'svc keeps its own files; this one belongs to OpenClaw';

/** Its adapter for any endpoint, with `remote.baseUrl`. */
const COMPATIBLE = 'openai-compatible';

const NEEDED_FOR_CONVERSATIONS = 'svc needs this, too, to search the conversations of OpenClaw';
/** Before release 9, conversations are files in the format of svc. */
const EARLIER_SESSIONS = '~/.openclaw/agents/{agentId}/sessions';

/**
 * Reads an `openclaw.json` with the keys of release 9 (`memory.search`, `agents.entries`) or those before
 * (`agents.defaults.memorySearch`, `agents.list`).
 *
 * @param path the file or its folder
 * @throws SvcError IMPORT_*
 */
export function readOpenClaw(path: string | undefined, context: EngineContext): ImportedData {
  const file = path === undefined || isFolder(path) ? openClawFile(context, path) : path;
  return new OpenClawReader(file, parseConfig(file), context).read();
}

/** The configuration in a folder; by default where OpenClaw keeps it. */
export function openClawFile({ env, homeDir }: EngineContext, folder?: string): string {
  const standard = env['OPENCLAW_STATE_DIR'] || join(homeDir, '.openclaw');
  return join(folder ?? standard, 'openclaw.json');
}

function parseConfig(file: string): Data {
  let root: unknown;
  try {
    root = JSON5.parse(readSource(file));
  } catch (cause) {
    if (!(cause instanceof SyntaxError) && !(cause instanceof RangeError)) throw cause;
    throw invalidSource(file, `it is not JSON5: ${messageOf(cause)}`, cause);
  }
  if (!isRecord(root)) throw invalidSource(file, 'it is not an object');
  return root;
}

class OpenClawReader {
  private readonly settings: ImportedSetting[] = [];
  private readonly leftOut: LeftOutItem[] = [];
  private readonly file: string;
  private readonly root: Data;
  private readonly context: EngineContext;

  constructor(file: string, root: Data, context: EngineContext) {
    this.file = file;
    this.root = root;
    this.context = context;
  }

  read(): ImportedData {
    const agents = dataAt(this.root, 'agents');
    const memory = dataAt(this.root, 'memory');
    const entries = dataAt(dataAt(this.root, 'plugins'), 'entries');
    const workspace = this.readDefaults(dataAt(agents, 'defaults'));
    this.readSearch(dataAt(memory, 'search'), 'memory.search', workspace);
    this.readAgents(agents, workspace);
    this.readMemory(memory);
    this.readPlugins(entries);
    this.readProviders();
    for (const [keys, value] of leaves(dataAt(this.root, 'secrets'))) {
      this.take(`secrets.${keys.join('.')}`, ['secrets', ...keys], value);
    }
    this.leaveSections(agents, memory, entries);
    return { source: this.file, settings: this.settings, leftOut: this.leftOut, entries: [] };
  }

  private readDefaults(defaults: Data): string {
    const { workspace, userTimezone, memorySearch } = defaults;
    const own = join(dirname(this.file), 'workspace');
    const written = typeof workspace === 'string' ? workspace : undefined;
    if (written !== undefined || isFolder(own)) {
      const note = written === undefined ? 'the default folder of OpenClaw' : undefined;
      const path = ['agents', 'defaults', 'workspace'];
      this.take('agents.defaults.workspace', path, this.withFolder(written ?? own), { note });
    }
    this.take('agents.defaults.userTimezone', ['agents', 'defaults', 'userTimezone'], userTimezone);
    const folder = this.folderOf(written ?? own);
    this.readSearch(asData(memorySearch), 'agents.defaults.memorySearch', folder);
    return folder;
  }

  private readAgents(agents: Data, workspace: string): void {
    const listed = Array.isArray(agents['list']) ? agents['list'] : [];
    const named = Object.entries(dataAt(agents, 'entries')).map(([id, agent]) => {
      return { id, from: `agents.entries.${id}`, agent: asData(agent) };
    });
    const numbered = listed.map((agent, at) => {
      return { id: asData(agent)['id'], from: `agents.list[${at}]`, agent: asData(agent) };
    });
    const all = [...named, ...numbered];
    const main = all.find(({ agent }) => agent['default'] === true) ?? all[0];
    for (const one of all) {
      const { id, from, agent } = one;
      if (typeof id !== 'string') {
        this.leave(from, 'it has no id');
        continue;
      }
      // An agent without settings counts too: the first of all is the default.
      this.take(from, ['id'], id, { agent: id });
      const own = agent['workspace'];
      this.take(`${from}.default`, ['default'], agent['default'], { agent: id });
      this.take(`${from}.workspace`, ['workspace'], this.withFolder(own), { agent: id });
      // A sole agent has the default workspace.
      const isOneOfSeveral = own === undefined && all.length > 1;
      const defaultFolder = isOneOfSeveral ? this.defaultFolder(id, agents) : undefined;
      const note = 'the default folder of OpenClaw for this agent';
      this.take(`${from}.workspace`, ['workspace'], defaultFolder, { agent: id, note });
      if (isOneOfSeveral && defaultFolder === undefined && one !== main) {
        const why =
          'OpenClaw has not created its folder; in svc, it uses agents.defaults.workspace';
        this.leave(`${from}.workspace`, why);
      }
      const folder = typeof own === 'string' ? this.folderOf(own) : (defaultFolder ?? workspace);
      this.readSearch(asData(agent['memorySearch']), `${from}.memorySearch`, folder, id);
      const search = dataAt(dataAt(agent, 'memory'), 'search');
      this.readSearch(search, `${from}.memory.search`, folder, id);
      const known = ['id', 'default', 'workspace', 'memorySearch', 'memory', 'name'];
      this.leaveOthers(`${from}: `, agent, known);
    }
  }

  /** Where one of several agents has its files if its workspace is not written; undefined if nowhere. */
  private defaultFolder(id: string, agents: Data): string | undefined {
    const { workspace } = dataAt(agents, 'defaults');
    const below = typeof workspace === 'string' ? [join(this.folderOf(workspace), id)] : [];
    return [...below, join(dirname(this.file), `workspace-${id}`)].find(isFolder);
  }

  /** @param workspace absolute path that relative extra paths start at */
  private readSearch(search: Data, from: string, workspace: string, agent?: string): void {
    const base: ConfigPath = agent === undefined ? SEARCH : ['memorySearch'];
    const { extraPaths, ...others } = search;
    for (const [at, item] of (Array.isArray(extraPaths) ? extraPaths : []).entries()) {
      const place = { from: `${from}.extraPaths[${at}]`, path: [...base, 'extraPaths'], agent };
      this.takeExtraPath(isRecord(item) ? item : { path: item }, workspace, place);
    }
    for (const [keys, value] of leaves(others)) {
      const name = keys.join('.');
      const at = `${from}.${name}`;
      if (OWN_FILES.has(name)) this.leave(at, NOT_OUR_FILE);
      else if (name === 'provider' && value === COMPATIBLE) {
        const note = `${JSON.stringify(COMPATIBLE)} is "openai" with an address in svc`;
        this.take(at, [...base, name], 'openai', { agent, note });
      } else this.take(at, [...base, ...keys.map(svcKey)], value, { agent });
    }
    this.readConversations(search, from, base, agent);
  }

  /** Where OpenClaw searches conversations, svc searches those of OpenClaw. */
  private readConversations(
    { sources, experimental, rememberAcrossConversations }: Data,
    from: string,
    base: ConfigPath,
    agent: string | undefined,
  ): void {
    if (!Array.isArray(sources) || !sources.includes('sessions')) return;
    if (rememberAcrossConversations === false) return;
    const place = { from: `${from}.sources`, note: NEEDED_FOR_CONVERSATIONS };
    const isRelease9 = from.endsWith('memory.search');
    if (isRelease9 && asData(experimental)['sessionMemory'] === undefined) {
      const path = [...base, 'experimental', 'sessionMemory'];
      this.settings.push({ ...place, path, agent, value: true });
    }
    const reader = isRelease9 ? 'openclaw' : { id: 'svc', path: EARLIER_SESSIONS };
    const path = ['sessions', 'readers'];
    this.settings.push({ ...place, path, value: ['svc', reader], adds: true });
  }

  private takeExtraPath(
    { path: written, pattern }: Data,
    workspace: string,
    { from, path, agent }: Pick<ImportedSetting, 'agent' | 'from' | 'path'>,
  ): void {
    if (typeof written !== 'string') {
      this.leave(from, 'it has no path');
      return;
    }
    const folder = resolvePath(written, workspace, this.context.homeDir);
    const value = [written.startsWith('~') ? written : folder];
    this.settings.push({ from, path, agent, value, adds: true, note: patternNote(pattern) });
  }

  private readMemory(memory: Data): void {
    const { citations, backend } = memory;
    this.take('memory.citations', ['memory', 'citations'], citations);
    const isQmd = backend === 'qmd';
    const note = isQmd ? '"qmd" is called "ext" in svc' : undefined;
    this.take('memory.backend', ['memory', 'backend'], isQmd ? 'ext' : backend, { note });
    for (const [keys, value] of leaves(dataAt(memory, 'qmd'))) {
      const name = keys.join('.');
      const from = `memory.qmd.${name}`;
      if (name === 'sessions.exportDir') this.leave(from, NOT_OUR_FILE);
      else this.take(from, ['memory', 'ext', ...keys], value);
    }
  }

  private readPlugins(entries: Data): void {
    for (const name of ['memory-core', 'active-memory']) {
      for (const [keys, value] of leaves(dataAt(entries, name))) {
        const from = `plugins.entries.${name}.${keys.join('.')}`;
        const path = ['plugins', 'entries', name, ...keys.map(svcKey)];
        if (name === 'active-memory' && keys.join('.') === 'config.mode') {
          this.readMode(from, value);
        } else this.take(from, path, value);
      }
    }
    const { enabled, config } = dataAt(entries, 'webhooks');
    const base = ['plugins', 'entries', 'webhooks'];
    this.take('plugins.entries.webhooks.enabled', [...base, 'enabled'], enabled);
    for (const [id, route] of Object.entries(dataAt(asData(config), 'routes'))) {
      this.readRoute(id, asData(route), [...base, 'config', 'routes', id]);
    }
  }

  private readMode(from: string, value: unknown): void {
    const path = ['plugins', 'entries', 'active-memory', 'config', 'enabled'];
    if (value === 'off') this.take(from, path, false, { note: '"off" is "enabled": false in svc' });
    else this.leave(from, 'svc decides from the prompt whether to recall');
  }

  /** A route is taken as a whole: without a secret it would not be valid. */
  private readRoute(id: string, route: Data, path: ConfigPath): void {
    const from = `plugins.entries.webhooks.config.routes.${id}`;
    const { secret, ...others } = route;
    const reference = secretReference(secret);
    const variable = `SVC_WEBHOOK_${id.toUpperCase().replace(/[^A-Z0-9]+/gu, '_')}_SECRET`;
    const note =
      reference === undefined
        ? `its secret is plain text and is not copied: set the variable ${variable}`
        : undefined;
    this.take(from, path, { ...others, secret: reference ?? `env:${variable}` }, { note });
  }

  /** The endpoints that memory search uses; others are for chats. */
  private readProviders(): void {
    const known = dataAt(dataAt(this.root, 'models'), 'providers');
    const used = new Set(
      this.settings
        .filter(({ path }) => path.at(-1) === 'provider' || path.at(-1) === 'fallback')
        .map(({ value }) => String(value)),
    );
    for (const [id, provider] of Object.entries(known)) {
      if (!used.has(id)) continue;
      for (const [keys, value] of leaves(asData(provider))) {
        const [first = ''] = keys;
        // Models of chats, and their form of requests unless it names an adapter.
        const isOurs = ['baseUrl', 'apiKey', 'headers'].includes(first);
        if (!isOurs && !(first === 'api' && adapterOf(String(value)) !== undefined)) continue;
        const from = `models.providers.${id}.${keys.join('.')}`;
        this.take(from, ['models', 'providers', id, ...keys], value);
      }
    }
  }

  private leaveSections(agents: Data, memory: Data, entries: Data): void {
    const sections: readonly (readonly [string, Data, readonly string[]])[] = [
      ['', this.root, ['agents', 'memory', 'plugins', 'secrets', 'models', '$include', '$schema']],
      ['agents.', agents, ['defaults', 'list', 'entries']],
      [
        'agents.defaults.',
        dataAt(agents, 'defaults'),
        ['workspace', 'userTimezone', 'memorySearch'],
      ],
      ['memory.', memory, ['search', 'citations', 'backend', 'qmd']],
      ['plugins.entries.', entries, ['memory-core', 'active-memory', 'webhooks']],
    ];
    for (const section of sections) this.leaveOthers(...section);
    if ('$include' in this.root) {
      this.leave('$include', 'included files are not read; import them by path');
    }
  }

  private leaveOthers(prefix: string, data: Data, known: readonly string[]): void {
    const others = Object.keys(data).filter((key) => !known.includes(key));
    if (others.length === 0) return;
    this.leave(`${prefix}${others.join(', ')}`, 'not about memory');
  }

  private take(
    from: string,
    path: ConfigPath,
    value: unknown,
    { agent, note }: Pick<ImportedSetting, 'agent' | 'note'> = {},
  ): void {
    if (value === undefined || value === null) return;
    const fullPath = agent === undefined ? path : ['agents', 'list', 0, ...path];
    const imported = isSecretPath(fullPath) ? (secretReference(value) ?? value) : value;
    this.settings.push({ from, path, agent, value: imported, note });
  }

  private leave(from: string, why: string): void {
    this.leftOut.push({ from, why });
  }

  /** A workspace as it is written, unless that would be another folder in svc.json. */
  private withFolder(workspace: unknown): unknown {
    if (typeof workspace !== 'string' || /^(?:~|\s*$)/u.test(workspace)) return workspace;
    return this.folderOf(workspace);
  }

  private folderOf(workspace: string): string {
    return resolvePath(workspace, dirname(this.file), this.context.homeDir);
  }
}

function patternNote(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern === '**/*.md') return undefined;
  return `svc indexes all Markdown of the folder, not only ${JSON.stringify(pattern)}; narrow it with exclude`;
}

/** OpenClaw's forms of a reference, as svc writes it; undefined for plain text. */
function secretReference(value: unknown): unknown {
  if (isRecord(value)) return value['source'] === undefined ? undefined : value;
  if (typeof value !== 'string') return undefined;
  const forms = /^(?:\$\{(\w+)\}|\$([A-Z]\w*)|secretref-env:(\w+)|__env__:(\w+)|env:(\w+))$/u;
  const variable = forms
    .exec(value)
    ?.slice(1)
    .find((name) => name !== undefined);
  return variable === undefined ? undefined : `env:${variable}`;
}

/** A key as svc calls it. */
function svcKey(key: string | number): string | number {
  return key === 'qmd' ? 'ext' : key;
}

/** Every value below, with its keys. Lists and references to secrets are values. */
function leaves(data: Data, depth = 0): readonly (readonly [readonly string[], unknown])[] {
  return Object.entries(data).flatMap(([key, value]): [readonly string[], unknown][] => {
    if (!isRecord(value) || 'source' in value || depth >= MAX_DEPTH) return [[[key], value]];
    return leaves(value, depth + 1).map(([keys, leaf]) => [[key, ...keys], leaf]);
  });
}

function asData(value: unknown): Data {
  return isRecord(value) ? value : {};
}

function dataAt(data: Data, key: string): Data {
  return asData(Object.hasOwn(data, key) ? data[key] : undefined);
}
