import {
  integrateOutputSchema,
  integrationsOutputSchema,
} from '../../src/engine/integrate/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

const FILE = '/home/ada/.cursor/mcp.json';

const integrate: JsonDocument = {
  title: 'svc integrate',
  introduction:
    'What changes, or would change, in the configuration of an agent. `--json` asks no question: add `--yes` or `--dry-run`.',
  schema: integrateOutputSchema,
  meanings: {
    agent: 'The agent.',
    scope: "`project`: the current folder's configuration. `user`: the person's own.",
    action: '`remove` with `--remove`.',
    written: 'False with `--dry-run`, and where nothing had to be changed.',
    server: 'What the agent runs as its memory server.',
    'server.name': 'What the agent calls it.',
    'server.command': 'The program and its arguments.',
    'server.env': 'Variables that it needs besides those of the agent.',
    hook: 'The line that the agent runs before each turn; `null` without `--active-memory`.',
    changes: 'Empty when all is as it should be.',
    'changes[].file': 'Absolute path.',
    'changes[].part': '`hook`: active memory. `server`: the tools.',
    'changes[].change': 'What is done to the entry.',
    'changes[].diff': 'The lines that change, the values of other entries hidden.',
    'changes[].diff[].kind': '`context` stays as it is.',
    'changes[].diff[].text': 'One line.',
    ...WARNINGS,
  },
  example: {
    agent: 'cursor',
    scope: 'user',
    action: 'add',
    written: true,
    server: {
      name: 'svc',
      command: ['/usr/bin/node', '/usr/local/bin/svc', 'mcp'],
      env: {},
    },
    hook: null,
    changes: [
      {
        file: FILE,
        part: 'server',
        change: 'add',
        diff: [
          { kind: 'context', text: '{' },
          { kind: 'context', text: '  "mcpServers": {' },
          { kind: 'added', text: '    "svc": {' },
        ],
      },
    ],
    warnings: [],
  },
};

const list: JsonDocument = {
  title: 'svc integrate --list',
  introduction: 'Every agent that svc knows.',
  schema: integrationsOutputSchema,
  meanings: {
    scope: "`project`: the current folder's configuration. `user`: the person's own.",
    agents: 'In the order of their ids.',
    'agents[].agent': 'Its id.',
    'agents[].detected': 'Whether there is a sign of it on this machine.',
    'agents[].file': 'Absolute path of the file that servers are registered in.',
    'agents[].servers': 'The names under which svc is registered there.',
    'agents[].hookFile':
      'Absolute path of the file for active memory; `null` where the agent cannot have it.',
    'agents[].hook': 'Whether active memory is registered.',
    'agents[].error': 'Why a file could not be read; `null` when they could.',
    'agents[].error.code': 'See [errors.md](errors.md).',
    'agents[].error.message': 'For people.',
    ...WARNINGS,
  },
  example: {
    scope: 'user',
    agents: [
      {
        agent: 'cursor',
        detected: true,
        file: FILE,
        servers: ['svc'],
        hookFile: null,
        hook: false,
        error: null,
      },
    ],
    warnings: [],
  },
};

/** The documents of svc integrate. */
export const INTEGRATE_DOCUMENTS: readonly JsonDocument[] = [integrate, list];
