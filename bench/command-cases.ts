/** Values for command arguments in the prepared home. */
export interface CommandFacts {
  readonly home: string;
  /** A daily note. */
  readonly note: string;
  /** The text of a claim that is not promoted. */
  readonly claim: string;
  readonly flow: string;
  readonly queuedTask: string;
  readonly claimedTask: string;
  readonly leaseToken: string;
  readonly failedTask: string;
  /** A credential known to the login server. */
  readonly clientId: string;
  /** ID of a recorded delivery. */
  readonly delivery: string;
  /** Address of a webhook listener. */
  readonly listener: string;
}

/** How to run a command once with a typical task. */
export interface CommandCase {
  /** Arguments after the command. */
  readonly args: readonly string[];
  readonly input?: string;
  /** What it changes and the next run needs restored: svc's files only, or the notes too. */
  readonly changes?: 'state' | 'notes';
  /** For a long-lived command: its start is complete when it prints this. */
  readonly ready?: RegExp;
  /** Allowed exit codes other than 0: doctor exits with 1 for findings. */
  readonly exits?: readonly number[];
}

/** A direct conversation, in which memory is recalled. */
const PERSON = 'agent:main:telegram:direct:42';
const FAULTS = [0, 1];
/** Long-lived commands print their address. */
const LISTENING = /listening on/;

/** Every command by name. */
export function commandCases(facts: CommandFacts): Readonly<Record<string, CommandCase>> {
  return {
    ...overallCases(facts),
    ...configCases(),
    ...memoryCases(facts),
    ...dreamCases(facts),
    ...providerCases(facts),
    ...flowCases(facts),
  };
}

function overallCases({ home }: CommandFacts): Record<string, CommandCase> {
  return {
    complete: { args: ['--', 'memory', 'sea'] },
    'completion install': { args: ['bash', '--yes'], changes: 'state' },
    'completion script': { args: ['bash'] },
    'bug-report': { args: ['--output', `${home}/report.tar.gz`], changes: 'state', exits: FAULTS },
    integrate: { args: ['claude-code', '--yes'], changes: 'state' },
    logs: { args: [] },
    mcp: { args: [], input: mcpSearch(), ready: /"id":2/ },
    'mcp token create': { args: ['ada-laptop'], changes: 'state' },
    'mcp token list': { args: [] },
    'mcp token revoke': { args: ['nobody'], exits: [1] },
    serve: { args: ['--plain'], ready: LISTENING },
    status: { args: [], exits: FAULTS },
    'storage copy': { args: ['--to', 'postgres', '--dry-run'], exits: [2] },
    'storage migrate': { args: ['--dry-run'], exits: [2] },
    'storage origins': { args: [], exits: [2] },
    'storage status': { args: [] },
    ui: { args: ['--plain'], exits: FAULTS },
    upgrade: { args: [] },
    version: { args: [] },
  };
}

function configCases(): Record<string, CommandCase> {
  const key = 'agents.defaults.memorySearch.query.maxResults';
  return {
    'config doctor': { args: ['--plain'], exits: FAULTS },
    'config get': { args: ['agents.defaults.workspace'] },
    'config import': { args: ['--from', 'qmd', 'nowhere'], exits: [2] },
    'config init': { args: ['--yes', '--force', '--provider', 'none'], changes: 'notes' },
    'config path': { args: [] },
    'config schema': { args: [] },
    'config set': { args: [key, '8'], changes: 'state' },
    'config show': { args: [] },
    'config trust': { args: [] },
    'config trust list': { args: [] },
    'config trust revoke': { args: [] },
    'config unset': { args: ['agents.defaults.memorySearch.provider'], changes: 'state' },
    'config validate': { args: [] },
    'secrets check': { args: [], exits: FAULTS },
  };
}

function memoryCases({ home, note }: CommandFacts): Record<string, CommandCase> {
  const output = `${home}/written.jsonl`;
  return {
    'memory add': { args: ['The backup runs at 03:00 now'], changes: 'notes' },
    'memory capture': { args: [`${home}/session.jsonl`], exits: [1] },
    'memory edit': { args: [`${note}#L3-L6`] },
    'memory eval': { args: [`${home}/questions.jsonl`] },
    'memory export': { args: ['--output', output, '--force'] },
    'memory forget': { args: [`${note}#L6-L6`, '--yes'], changes: 'state' },
    'memory get': { args: [`${note}#L3-L6`] },
    'memory import': {
      args: [`${home}/export.jsonl`, '--existing', 'keep'],
      changes: 'notes',
    },
    'memory index': { args: [] },
    'memory inspect': { args: [note] },
    'memory links': { args: [note] },
    'memory log': { args: [] },
    'memory recall': {
      args: ['when does the nightly backup run?', '--session-key', PERSON],
    },
    'memory recent': { args: [] },
    'memory rem-harness': { args: [] },
    'memory reset': { args: ['--all', '--yes'], changes: 'state' },
    'memory scope test': { args: ['--session-key', PERSON] },
    'memory search': { args: ['when does the nightly backup run'] },
    'memory sessions export': { args: ['none'], exits: [1] },
    'memory sessions forget': { args: ['none', '--yes'], exits: [1] },
    'memory sessions list': { args: [] },
    'memory sessions show': { args: ['none'], exits: [1] },
    'memory status': { args: [], exits: FAULTS },
    'memory undo': { args: ['--list'] },
  };
}

function dreamCases({ note, claim }: CommandFacts): Record<string, CommandCase> {
  return {
    'dream backfill': { args: ['--path', note, '--dry-run'] },
    'dream candidates': { args: [] },
    'dream disable': { args: [], changes: 'state' },
    'dream enable': { args: [], changes: 'state' },
    'dream explain': { args: [claim] },
    'dream list': { args: [] },
    'dream promote': { args: [claim], changes: 'notes' },
    'dream reject': { args: [claim], changes: 'state' },
    'dream run': { args: [], changes: 'notes' },
    'dream schedule': { args: [] },
    'dream show': { args: [] },
    'dream signals': { args: [] },
    'dream status': { args: [] },
    'dream undo': { args: [], changes: 'notes' },
  };
}

function providerCases({ clientId }: CommandFacts): Record<string, CommandCase> {
  return {
    // Installing depends on the network.
    'memory documents install': { args: ['pdf', '--remove'] },
    'provider install local': { args: ['--remove'] },
    'provider list': { args: [] },
    'provider login': {
      args: ['github-copilot', '--github-client-id', clientId],
      changes: 'state',
    },
    'provider logout': { args: ['github-copilot', '--yes'] },
    'provider test': { args: ['bench'] },
  };
}

function flowCases(facts: CommandFacts): Record<string, CommandCase> {
  const { flow, queuedTask, claimedTask, leaseToken, failedTask, delivery, listener } = facts;
  const lease = ['--lease-token', leaseToken];
  return {
    'flow cancel': { args: [flow], changes: 'state' },
    'flow history': { args: [flow] },
    'flow list': { args: [] },
    'flow prune': { args: ['--yes'] },
    'flow show': { args: [flow] },
    'flow watch': { args: ['--plain'], ready: /queued/ },
    'schedule list': { args: [] },
    'schedule next': { args: ['nightly'] },
    'schedule run': { args: ['nightly'], changes: 'state' },
    'flow wait': { args: [flow, '--timeout', '0s'], exits: [124] },
    'notification list': { args: [] },
    'notification retry': { args: ['--failed', '--dry-run'] },
    'notification show': { args: ['1'], exits: [1] },
    'task cancel': { args: [queuedTask], changes: 'state' },
    'task claim': { args: [], changes: 'state' },
    'task complete': { args: [claimedTask, ...lease], changes: 'state' },
    'task fail': { args: [claimedTask, '--error', 'none', ...lease], changes: 'state' },
    'task heartbeat': { args: [claimedTask, ...lease] },
    'task list': { args: [] },
    'task pause': { args: ['--runtime', 'cron'], changes: 'state' },
    'task resume': { args: [], changes: 'state' },
    'task retry': { args: [failedTask], changes: 'state' },
    'task show': { args: [queuedTask] },
    'task watch': { args: ['--plain'], ready: /queued/ },
    'task wait': { args: [failedTask], exits: [1] },
    'webhook call': { args: ['ci', 'list_flows', '--url', listener] },
    'webhook deliveries': { args: [] },
    'webhook map': { args: ['ci', '--data', '{"action":"list_flows"}'] },
    'webhook openapi': { args: [] },
    'webhook replay': { args: [delivery], changes: 'state' },
    'webhook routes': { args: [] },
    'webhook secret generate': { args: [] },
    'webhook secret rotate': { args: ['ci'] },
    'webhook serve': { args: ['--plain'], ready: LISTENING },
    'webhook show': { args: [delivery] },
    'webhook trigger': { args: ['cron.curl', '--route', 'mapped', '--url', listener] },
  };
}

/** What an agent sends up to its first search. */
function mcpSearch(): string {
  const clientInfo = { name: 'bench', version: '1' };
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const search = { name: 'memory_search', arguments: { query: 'nightly backup' } };
  return [
    { id: 1, method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: search },
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    .join('');
}
